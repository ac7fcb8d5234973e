package org.chainwalletd.store;

/** Hears of every change of a spend's state when it is durable, in order. */
public interface IntentListener {
    /** Whether anybody would hear of a change now. */
    boolean isListening();

    /**
     * Must not block.
     *
     * @param intent the spend; its own state may be a later one
     * @param reason the node's or the operator's words for a state that is not a success; empty otherwise
     */
    void changed(Intent intent, IntentState state, String reason);
}
