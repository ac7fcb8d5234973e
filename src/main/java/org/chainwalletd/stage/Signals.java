package org.chainwalletd.stage;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Handles signals of the operating system. The JDK offers only {@code sun.misc.Signal} for this; it is used by reflection because the compiler
 * warns of each use of that package, and warnings are errors in this build.
 */
public final class Signals {
    private Signals() {}

    /**
     * Runs {@code act} on each signal from now on, on a new thread, replacing the previous handler.
     *
     * @param name of the signal without SIG
     * @return whether the handler is installed; a platform may lack the signal, and the JVM may reserve it
     */
    public static boolean install(String name, Runnable act) {
        InvocationHandler handling = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                act.run();
                yield null;
            }
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "handler of SIG" + name;
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxied = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, handling);
            Object signalOfName = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, signalOfName, proxied);
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
