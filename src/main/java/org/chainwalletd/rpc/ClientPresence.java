package org.chainwalletd.rpc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Presence of a request's client: whether it can still read the answer. The transport reports once that it has left. Users register a
 * listener and remove it when they no longer need it, so that listeners do not accumulate on a long-lived connection.
 */
public final class ClientPresence {
    /** Registration of a listener. Cancelling is idempotent and does not stop a listener that is already running. */
    @FunctionalInterface
    public interface Registration {
        void cancel();
    }

    private static final Registration NOTHING_TO_CANCEL = () -> {};

    private Set<Runnable> listeners;
    private boolean left;

    /** Reports that the client can no longer be reached. Runs the listeners on this thread. Idempotent. */
    public void leave() {
        List<Runnable> toNotify;
        synchronized (this) {
            left = true;
            toNotify = listeners == null ? List.of() : List.copyOf(listeners);
            listeners = null;
        }
        toNotify.forEach(Runnable::run);
    }

    public synchronized boolean left() {
        return left;
    }

    /**
     * @param listener runs once when the client leaves, immediately if it has left; must only dispatch work, because it runs on the
     *     connection's thread
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
