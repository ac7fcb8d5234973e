package org.chainwalletd.account;

/** From when on a block of the account chain is taken for final. */
public sealed interface Finality {
    /** The endpoints' tag {@code finalized} or {@code safe}. */
    record Tagged(BlockRef.Tag tag) implements Finality {}

    /** With {@code blocks} blocks above it: the block at {@code latest − blocks} is final. */
    record Depth(long blocks) implements Finality {}

    Finality FINALIZED = new Tagged(BlockRef.Tag.FINALIZED);
}
