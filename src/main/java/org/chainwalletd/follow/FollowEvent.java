package org.chainwalletd.follow;

import org.chainwalletd.store.BlockPlace;

/** Event for subscribers of the {@link Follower}. Events follow the order of the chain's changes, each after the commit of the books. */
public sealed interface FollowEvent {
    /** First event of a subscription: later events build on this block. Sent again after a restart of the follower. */
    record Positioned(FollowedTip tip) implements FollowEvent {}

    /** A child of the previous tip. */
    record Connected(ChainBlock block) implements FollowEvent {}

    /**
     * Blocks {@code from} to {@code to} were read while catching up, or are trusted only now. Their changes are in the books.
     *
     * @param to the new tip
     */
    record Advanced(long from, FollowedTip to) implements FollowEvent {}

    /**
     * A rescan has joined: the books now include the blocks from {@code from} on for addresses that were new or not fully read. The chain is
     * unchanged.
     */
    record Joined(long from, FollowedTip tip) implements FollowEvent {}

    /** The tip was removed from the chain; its parent is the new tip. */
    record Disconnected(BlockPlace block) implements FollowEvent {}
}
