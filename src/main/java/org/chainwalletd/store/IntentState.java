package org.chainwalletd.store;

/** State of a spend. The names are stored: never rename one. */
public enum IntentState {
    /** The intent is durable and its bytes may have been sent; whether a node has them is not known. */
    PREPARED,
    /** A node has taken it into its mempool. */
    ACCEPTED,
    /** In a block of the best chain; until it is buried a reorganisation can put it back to {@link #ACCEPTED}. */
    CONFIRMED,
    /** All nodes refused it and none of them has it. Not sent again unless its token requests it. */
    REFUSED,
    /** Another transaction spends one of its inputs. Not sent again unless its token requests it. */
    CONFLICTED,
    /** The spend was abandoned: by the operator, for a stand-in ({@link StandIns}), or by a restore of the store. */
    ABANDONED,
    /**
     * A node had the very same transaction before this daemon sent it. It cannot be determined whose payment it is, so it does not count as a
     * success, is never sent again, and its token stays bound to it permanently.
     */
    CONTESTED;

    /** Returns whether the spend must be watched, and sent again when nodes no longer have it. */
    public boolean inFlight() {
        return this == PREPARED || this == ACCEPTED;
    }

    /** Returns whether the spend was closed without success. */
    public boolean failed() {
        return this == REFUSED || this == CONFLICTED || this == ABANDONED;
    }

    /**
     * Returns whether a spend last seen in this state counts as unchanged when the store has it in {@code found}: the two states in flight count as
     * the same.
     */
    public boolean isStill(IntentState found) {
        return this == found || inFlight() && found.inFlight();
    }

    /** Returns whether the payment may be reported to the caller as made. */
    public boolean succeeded() {
        return this == ACCEPTED || this == CONFIRMED;
    }
}
