package org.chainwalletd.node;

/** What came of one attempt at one node. */
sealed interface Attempt<T> {
    record Result<T>(T value) implements Attempt<T> {}

    /** The node has spoken: surfaced at once, without failover (interface.md, section 1.7). */
    record Refused<T>(NodeException failure) implements Attempt<T> {}

    /**
     * No JSON-RPC answer: the next node is asked.
     *
     * @param mayHaveArrived whether the node may have done what it was asked, its answer being lost
     */
    record NoAnswer<T>(String why, boolean mayHaveArrived) implements Attempt<T> {}
}
