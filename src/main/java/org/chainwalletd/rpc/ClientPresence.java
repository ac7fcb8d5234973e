package org.chainwalletd.rpc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether the client of a request is still there to read the answer. Whoever carries the request says once that it is not; who wants to
 * know registers, and takes the registration back when the question is over, so that a connection that lives long collects nothing.
 */
public final class ClientPresence {
    /** Takes a listener back. Idempotent; a listener that is running already is not stopped. */
    @FunctionalInterface
    public interface Registration {
        void cancel();
    }

    private static final Registration NOTHING_TO_CANCEL = () -> {};

    private Set<Runnable> listeners;
    private boolean left;

    /** The client cannot be reached any more. Runs the listeners, on this thread. Idempotent. */
    public void leave() {
        List<Runnable> told;
        synchronized (this) {
            left = true;
            told = listeners == null ? List.of() : List.copyOf(listeners);
            listeners = null;
        }
        told.forEach(Runnable::run);
    }

    public synchronized boolean left() {
        return left;
    }

    /**
     * @param listener runs once when the client leaves, at once when it has; only hands over, because it runs on the connection's thread
     */
    public Registration whenLeft(Runnable listener) {
        synchronized (this) {
            if (!left) {
                if (listeners == null) {
                    listeners = new HashSet<>();
                }
                listeners.add(listener);
                return () -> remove(listener);
            }
        }
        listener.run();
        return NOTHING_TO_CANCEL;
    }

    private synchronized void remove(Runnable listener) {
        if (listeners != null) {
            listeners.remove(listener);
            if (listeners.isEmpty()) {
                listeners = null;
            }
        }
    }

    /** How many listen now. */
    public synchronized int listeners() {
        return listeners == null ? 0 : listeners.size();
    }
}
