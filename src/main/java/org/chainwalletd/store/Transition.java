package org.chainwalletd.store;

import java.util.Optional;

/** What became of a change that was asked for on the condition that a spend is in a certain state. */
public sealed interface Transition {
    /** It was, and the change is durable. */
    record Made() implements Transition {}

    /**
     * It was not, and nothing was written.
     *
     * @param found the state it is in; empty when there is no such spend
     */
    record Stale(Optional<IntentState> found) implements Transition {}
}
