package org.chainwalletd.store;

/** State of a spend. The names are stored: never rename one. */
public enum IntentState {
    /** The intent is durable and its bytes may have been sent; whether a node has them is not known. */
    PREPARED,
    /** A node has taken it into its mempool. */
    ACCEPTED,
    /** In a block of the best chain; until it is buried a reorganisation can put it back to {@link #ACCEPTED}. */
    CONFIRMED,
    /** Every answer of the nodes was a refusal and none of them knows it. Not sent again unless its token asks for it. */
    REFUSED,
    /** Another transaction spends one of its inputs. Not sent again unless its token asks for it. */
    CONFLICTED,
    /** The spend was abandoned: by the operator, for a stand-in ({@link StandIns}), or by a restore of the store. */
    ABANDONED,
    /**
     * A node had the very same transaction before this daemon sent it. Whose payment it is cannot be told, so it counts as no success, is never
     * sent again, and its token stays bound to it for good.
     */
    CONTESTED;

    /** Tells whether the spend must still be watched, and sent again when the nodes have forgotten it. */
    public boolean inFlight() {
        return this == PREPARED || this == ACCEPTED;
    }

    /** Tells whether the spend was closed without success. */
    public boolean failed() {
        return this == REFUSED || this == CONFLICTED || this == ABANDONED;
    }

    /**
     * Tells whether a spend last seen in this state counts as unchanged when the store has it in {@code found}: the two states in flight count as
     * one.
     */
    public boolean isStill(IntentState found) {
        return this == found || inFlight() && found.inFlight();
    }

    /** Tells whether the caller may be told that the payment was made. */
    public boolean succeeded() {
        return this == ACCEPTED || this == CONFIRMED;
    }
}
