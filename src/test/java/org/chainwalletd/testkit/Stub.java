package org.chainwalletd.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Stands in for an interface where a test answers some calls by itself, and passes the others on. */
public final class Stub {
    private Stub() {}

    /** Answers a call, or throws what the caller is to hear. */
    @FunctionalInterface
    public interface Answers {
        Object to(Call call) throws Throwable;
    }

    /** @param self the stub */
    public record Call(Object self, Method method, Object... arguments) {
        public String name() {
            return method.getName();
        }

        /** Makes the call on the real thing, whose own exception comes back. */
        public Object on(Object real) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** Creates a stub, which is equal to itself only. */
    public static <T> T of(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                Stub.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> switch (method.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    case "toString" -> type.getSimpleName();
                    default -> answers.to(new Call(self, method, arguments == null ? new Object[0] : arguments));
                }));
    }
}
