package org.chainwalletd.follow;

import org.chainwalletd.store.BlockPlace;

/**
 * Event for subscribers of the {@link Follower}, in the order of the chain's changes, each after the commit of the books that it is of.
 */
public sealed interface FollowEvent {
    /** The first event of a subscription: what comes later is on top of this block. Sent again when the follower was restarted. */
    record Standing(FollowedTip tip) implements FollowEvent {}

    /** The tip's child. */
    record Connected(ChainBlock block) implements FollowEvent {}

    /**
     * Blocks {@code from} to {@code to} were read while catching up, or are believed only since now. What they changed is in the books.
     *
     * @param to the new tip
     */
    record Advanced(long from, FollowedTip to) implements FollowEvent {}

    /**
     * A rescan has joined: the books have the blocks from {@code from} on for addresses that they did not know, or had not read of. The chain is
     * the same as before.
     */
    record Joined(long from, FollowedTip tip) implements FollowEvent {}

    /** The tip is no longer on the chain; its parent is the tip now. */
    record Disconnected(BlockPlace block) implements FollowEvent {}
}
