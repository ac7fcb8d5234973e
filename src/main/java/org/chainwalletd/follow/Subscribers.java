package org.chainwalletd.follow;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.stream.javadsl.SourceQueueWithComplete;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;

/**
 * Subscribers to changes of the chain. Owned by the walker, and the one thing that outlives its restarts; only the newest tip is read by others.
 */
final class Subscribers {
    private final AtomicReference<FollowStatus> status;
    private final Set<ActorRef<? super FollowEvent>> actors = new LinkedHashSet<>();
    private final List<SourceQueueWithComplete<FollowedTip>> queues = new ArrayList<>();
    private volatile Set<String> setAside = Set.of();
    private volatile boolean distrusting;
    private volatile Optional<BlockPlace> ancestor = Optional.empty();

    Subscribers(Instant startedAt) {
        status = new AtomicReference<>(new FollowStatus(Optional.empty(), Optional.empty(), -1, startedAt, List.of()));
    }

    /** The newest that was told; safe for threads. */
    Optional<FollowedTip> tip() {
        return status.get().tip();
    }

    /** Safe for threads. */
    FollowStatus status() {
        return status.get();
    }

    /** After a round: what its node names as its height, and what is wrong. */
    void note(long nodesHeight, List<String> complaints) {
        FollowStatus now = status.get();
        status.set(new FollowStatus(now.tip(), now.network(), nodesHeight, now.startedAt(), complaints));
    }

    /** Nodes whose tips cannot be followed; safe for threads. */
    Set<String> setAside() {
        return setAside;
    }

    void setAside(Set<String> nodes) {
        setAside = nodes;
    }

    /** The lowest block that the followed chain stands on by ids; safe for threads. */
    Optional<BlockPlace> ancestor() {
        return ancestor;
    }

    /** Safe for threads. */
    void standsOn(BlockPlace lowest) {
        ancestor = Optional.of(lowest);
    }

    /** Whether some node's word is of little account now; safe for threads. */
    boolean isDistrusting() {
        return distrusting;
    }

    void distrusts(boolean anybody) {
        distrusting = anybody;
    }

    Set<ActorRef<? super FollowEvent>> actors() {
        return Set.copyOf(actors);
    }

    void subscribe(ActorRef<? super FollowEvent> subscriber) {
        actors.add(subscriber);
        tip().ifPresent(now -> subscriber.tell(new FollowEvent.Standing(now)));
    }

    void leave(ActorRef<? super FollowEvent> subscriber) {
        actors.remove(subscriber);
    }

    void watch(SourceQueueWithComplete<FollowedTip> queue) {
        queues.add(queue);
        tip().ifPresent(queue::offer);
    }

    void leave(SourceQueueWithComplete<FollowedTip> queue) {
        queues.remove(queue);
    }

    /** The follower begins, or begins again, on what the books hold. */
    void standing(HeaderChain chain, Network network) {
        FollowStatus before = status.get();
        status.set(new FollowStatus(
                before.tip(), Optional.of(network), before.nodesHeight(), before.startedAt(), before.complaints()));
        FollowedTip now = tipOf(chain, chain.toldUpTo(chain.height()));
        hear(new FollowEvent.Standing(now));
        stand(now);
    }

    /** These blocks, the newest of the chain or followed by more that are not committed yet, are in the books now. */
    void connected(HeaderChain chain, List<Bookkeeping.Entry> blocks) {
        long before = tip().orElseThrow().height();
        long top = blocks.get(blocks.size() - 1).block().height();
        long told = chain.toldUpTo(top);
        if (told <= before) {
            return;
        }
        FollowedTip now = tipOf(chain, told);
        // First, because who hears of a block reads the books up to the tip that it sees, and is not told again before
        // the next block.
        stand(now);
        if (told == top && before + 1 == blocks.get(0).block().height()) {
            blocks.forEach(entry -> hear(new FollowEvent.Connected(entry.block())));
        } else {
            hear(new FollowEvent.Advanced(before + 1, now));
        }
    }

    /** The books know more of the same blocks, from this height on. Before a tip is told nobody has read them. */
    void joined(long from) {
        tip().ifPresent(now -> hear(new FollowEvent.Joined(from, now)));
    }

    /** @param gone the highest first; {@code chain} ends below them */
    void disconnected(HeaderChain chain, List<BlockRow> gone) {
        long before = tip().orElseThrow().height();
        gone.stream()
                .filter(row -> row.height() <= before)
                .forEach(row -> hear(new FollowEvent.Disconnected(row.place())));
        if (before > chain.height()) {
            stand(tipOf(chain, chain.height()));
        }
    }

    /** All that was told is off the chain, the highest block first; what is followed instead is told next. */
    void forget(HeaderChain chain) {
        long before = tip().orElseThrow().height();
        for (int i = chain.size() - 1; i >= 0; i--) {
            if (chain.get(i).height() <= before) {
                hear(new FollowEvent.Disconnected(chain.get(i).place()));
            }
        }
    }

    private static FollowedTip tipOf(HeaderChain chain, long height) {
        BlockRow row = chain.at(height).orElseThrow();
        return new FollowedTip(row.place(), row.timestamp());
    }

    private void hear(FollowEvent event) {
        actors.forEach(subscriber -> subscriber.tell(event));
    }

    private void stand(FollowedTip tip) {
        FollowStatus now = status.get();
        status.set(new FollowStatus(
                Optional.of(tip), now.network(), now.nodesHeight(), now.startedAt(), now.complaints()));
        queues.forEach(queue -> queue.offer(tip));
    }
}
