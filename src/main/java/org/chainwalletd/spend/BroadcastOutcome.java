package org.chainwalletd.spend;

import org.chainwalletd.chain.Outpoint;

/** Knowledge about a transaction after it was offered to the nodes. */
sealed interface BroadcastOutcome {
    /** A node has it, in its mempool or in a block. */
    record Accepted() implements BroadcastOutcome {}

    /** The first node that was ever offered these bytes says that it has them already; only for bytes that were sent as fresh. */
    record KnownBefore() implements BroadcastOutcome {}

    /** Another transaction, which was shown with a signature of our own key, spends this input of it. */
    record Conflicted(String text, Outpoint coin) implements BroadcastOutcome {}

    /**
     * Every node that could have it refused it and says that it does not know it.
     *
     * @param passing whether the reason lies with the node and not the transaction: it was busy or its quota used up
     * @param left whether a node was shown the bytes; otherwise the refusal was foreseen
     */
    record Refused(String text, boolean passing, boolean left) implements BroadcastOutcome {}

    /**
     * No node has it, and nothing proves that none will: no node that was asked has the block of each of its inputs yet, or they say of an
     * input that it is spent and cannot show by what.
     */
    record NotYet(String text) implements BroadcastOutcome {}

    /** Some node may have it; nothing else is known. */
    record Unknown(String text) implements BroadcastOutcome {}
}
