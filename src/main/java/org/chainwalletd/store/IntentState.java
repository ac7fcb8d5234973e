package org.chainwalletd.store;

/** How far one spend has come. The names are stored: never rename one. */
public enum IntentState {
    /** Durable, perhaps sent: whether a node has it is not known. */
    PREPARED,
    /** A node has taken it into its mempool. */
    ACCEPTED,
    /** In a block of the best chain; until it is buried a reorganisation can put it back to {@link #ACCEPTED}. */
    CONFIRMED,
    /** Every answer of the nodes was a refusal and none of them knows it. Not sent again unless its token asks for it. */
    REFUSED,
    /** Another transaction spends one of its inputs. Not sent again unless its token asks for it. */
    CONFLICTED,
    /** The operator gave it up. */
    ABANDONED,
    /**
     * A node had the very same transaction before it was sent. Whose payment it is cannot be told, so it is no success, is never sent again,
     * and its token stands for it for good.
     */
    CONTESTED;

    /** Whether it still has to be watched, and sent again when the nodes have forgotten it. */
    public boolean inFlight() {
        return this == PREPARED || this == ACCEPTED;
    }

    /** Whether it was closed without success. */
    public boolean failed() {
        return this == REFUSED || this == CONFLICTED || this == ABANDONED;
    }

    /** Whether a spend that was known in this state is still in it when {@code found} is what the store has. */
    public boolean isStill(IntentState found) {
        return this == found || inFlight() && found.inFlight();
    }

    /** Whether the caller may be told that the payment was made. */
    public boolean succeeded() {
        return this == ACCEPTED || this == CONFIRMED;
    }
}
