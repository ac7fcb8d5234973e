package org.chainwalletd.stage;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. The JDK's only way to hear one is {@code sun.misc.Signal}; it is reached by its name because the compiler
 * warns of every use of that package, and warnings are errors here.
 */
public final class Signals {
    private Signals() {}

    /**
     * Runs {@code act} at every such signal from now on, on a thread of its own, in place of what the signal did before.
     *
     * @param name without SIG
     * @return whether it will be heard; a platform may not have it, and the JVM may keep it for itself
     */
    public static boolean hear(String name, Runnable act) {
        InvocationHandler handling = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                act.run();
                yield null;
            }
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "hears SIG" + name;
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object handles = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, handling);
            Object named = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, named, handles);
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
