package org.chainwalletd.node;

/** What came of one attempt at one node. */
sealed interface Outcome<T> {
    record Result<T>(T value) implements Outcome<T> {}

    /** The node has spoken: surfaced at once, without failover (interface.md, section 1.7). */
    record Refused<T>(NodeException failure) implements Outcome<T> {}

    /** No JSON-RPC answer: the next node is asked. */
    record NoAnswer<T>(String why) implements Outcome<T> {}
}
