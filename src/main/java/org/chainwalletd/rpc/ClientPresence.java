package org.chainwalletd.rpc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Presence of the client of a request: whether it is still there to read the answer. The transport reports once that it has left. An interested party
 * registers a listener, and removes it when its question is over, so that a long-lived connection collects no listeners.
 */
public final class ClientPresence {
    /** Handle that removes a listener. Idempotent; a listener that is running already is not stopped. */
    @FunctionalInterface
    public interface Registration {
        void cancel();
    }

    private static final Registration NOTHING_TO_CANCEL = () -> {};

    private Set<Runnable> listeners;
    private boolean left;

    /** Reports that the client cannot be reached any more. Runs the listeners, on this thread. Idempotent. */
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
     * @param listener runs once when the client leaves, at once if it has left; must only hand work over, because it runs on the connection's thread
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

    /** Number of listeners. */
    public synchronized int listeners() {
        return listeners == null ? 0 : listeners.size();
    }
}
