package org.chainwalletd.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletionStage;

/** Stub of an interface: a test answers some calls itself and passes the others on. */
public final class Stub {
    private Stub() {}

    /** Answers a call, or throws the exception for the caller. */
    @FunctionalInterface
    public interface Answers {
        Object to(Call call) throws Throwable;
    }

    /**
     * Intercepted call.
     *
     * @param self the stub
     */
    public record Call(Object self, Method method, Object... arguments) {
        public String name() {
            return method.getName();
        }

        /** Passes the call on to the real object, and throws that object's own exception. */
        public Object on(Object real) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        /** Passes a call that returns a stage on to the real object. */
        @SuppressWarnings("unchecked") // The caller knows what the method answers.
        public <T> CompletionStage<T> stage(Object real) {
            try {
                return (CompletionStage<T>) on(real);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        public boolean answersWithStage() {
            return CompletionStage.class.isAssignableFrom(method.getReturnType());
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
