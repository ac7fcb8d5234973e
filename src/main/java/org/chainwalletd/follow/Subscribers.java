package org.chainwalletd.follow;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.stream.javadsl.SourceQueueWithComplete;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;

/**
 * Subscribers to changes of the chain, and the chain as published to them. Owned by the walker, or by the reader while the walker is stopped, and
 * survives restarts of both. Other threads may use only the methods marked safe.
 */
final class Subscribers {
    private final AtomicReference<FollowStatus> status;
    private final Set<ActorRef<? super FollowEvent>> actors = new LinkedHashSet<>();
    private final List<SourceQueueWithComplete<FollowedTip>> queues = new ArrayList<>();
    /** Chain as published, up to the tip. */
    private HeaderChain published = HeaderChain.of(List.of());

    private volatile Set<String> ignoredTips = Set.of();
    private volatile Precedence precedence = Precedence.NODES;
    private volatile Optional<BlockPlace> ancestor = Optional.empty();

    Subscribers(Instant startedAt) {
        status = new AtomicReference<>(
                new FollowStatus(Optional.empty(), Optional.empty(), -1, -1, startedAt, List.of()));
    }

    /** Returns the newest published tip; may be called on any thread. */
    Optional<FollowedTip> tip() {
        return status.get().tip();
    }

    /** Returns the status; may be called on any thread. */
    FollowStatus status() {
        return status.get();
    }

    /** Records the result of a round: the proven height of the chain, the height last reported by a node whose chain extends ours, and the complaints. */
    void note(long nodesHeight, long namedHeight, List<String> complaints) {
        FollowStatus now = status.get();
        status.set(new FollowStatus(now.tip(), now.network(), nodesHeight, namedHeight, now.startedAt(), complaints));
    }

    /** Returns the names of the nodes whose tips are ignored; may be called on any thread. */
    Set<String> nodesWithIgnoredTips() {
        return ignoredTips;
    }

    void setIgnoredTips(Set<String> nodes) {
        ignoredTips = nodes;
    }

    /** Returns the lowest block to which the followed chain is linked by ids; may be called on any thread. */
    Optional<BlockPlace> ancestor() {
        return ancestor;
    }

    /** Sets the lowest block to which the followed chain is linked by ids; may be called on any thread. */
    void setAncestor(BlockPlace lowest) {
        ancestor = Optional.of(lowest);
    }

    /** Returns whose answers count now; may be called on any thread. */
    Precedence precedence() {
        return precedence;
    }

    void setPrecedence(Precedence now) {
        precedence = now;
    }

    Set<ActorRef<? super FollowEvent>> actors() {
        return Set.copyOf(actors);
    }

    void subscribe(ActorRef<? super FollowEvent> subscriber) {
        actors.add(subscriber);
        tip().ifPresent(now -> subscriber.tell(new FollowEvent.Positioned(now)));
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

    /** Publishes the chain of the books when the walker starts or restarts. */
    void publishPosition(HeaderChain chain, Network network) {
        setNetwork(network);
        if (!moveTo(chain, chain.publishableUpTo(chain.height()), List.of())) {
            send(new FollowEvent.Positioned(tip().orElseThrow()));
        }
    }

    /** Sets the network of the followed chain. */
    void setNetwork(Network network) {
        FollowStatus now = status.get();
        status.set(new FollowStatus(
                now.tip(),
                Optional.of(network),
                now.nodesHeight(),
                now.namedHeight(),
                now.startedAt(),
                now.complaints()));
    }

    /**
     * Returns the height up to which the published blocks are on this chain; empty when none is, or nothing was published.
     *
     * @param chain of the books
     */
    OptionalLong publishedHeightOn(HeaderChain chain) {
        return tip()
                .flatMap(before -> remaining(removedFrom(chain, before.height()).size()))
                .stream()
                .mapToLong(BlockRow::height)
                .findFirst();
    }

    /**
     * Publishes the changes from the published chain to a block of the books' chain: first removed blocks, then new ones. While the published tip
     * is on that chain, a lower {@code height} changes nothing.
     *
     * @param blocks the new ones, in order; empty when they could not be read
     * @return whether an event was published
     */
    boolean moveTo(HeaderChain chain, long height, List<ChainBlock> blocks) {
        long before = tip().map(FollowedTip::height).orElse(-1L);
        List<BlockRow> removed = removedFrom(chain, before);
        Optional<BlockRow> remaining = remaining(removed.size());
        removed.forEach(row -> send(new FollowEvent.Disconnected(row.place())));
        published = chain;
        if (remaining.isEmpty()) {
            FollowedTip now = tipOf(chain, height);
            setTip(now);
            send(new FollowEvent.Positioned(now));
            return true;
        }
        long base = remaining.get().height();
        if (height <= base) {
            if (!removed.isEmpty()) {
                setTip(tipOf(remaining.get()));
            }
            return !removed.isEmpty();
        }
        FollowedTip now = tipOf(chain, height);
        setTip(now);
        if (!blocks.isEmpty()
                && blocks.get(0).height() == base + 1
                && blocks.get(blocks.size() - 1).height() == height) {
            blocks.forEach(block -> send(new FollowEvent.Connected(block)));
        } else {
            send(new FollowEvent.Advanced(base + 1, now));
        }
        return true;
    }

    /** Returns published blocks that the chain does not have, highest first. A height at which the chain keeps no id is no contradiction. */
    private List<BlockRow> removedFrom(HeaderChain chain, long tip) {
        List<BlockRow> passed = new ArrayList<>();
        int removed = 0;
        for (int i = published.size() - 1; i >= 0; i--) {
            BlockRow row = published.get(i);
            if (row.height() > tip) {
                continue;
            }
            passed.add(row);
            Optional<BlockRow> there = chain.at(row.height());
            if (there.isPresent() && there.get().blockId().equals(row.blockId())) {
                return passed.subList(0, removed);
            }
            if (there.isPresent() || row.height() > chain.height()) {
                removed = passed.size();
            }
        }
        return passed;
    }

    /** Returns the highest published block that remains after {@code removed} blocks are removed. */
    private Optional<BlockRow> remaining(int removed) {
        long tip = tip().map(FollowedTip::height).orElse(-1L);
        int left = removed;
        for (int i = published.size() - 1; i >= 0; i--) {
            if (published.get(i).height() <= tip && left-- == 0) {
                return Optional.of(published.get(i));
            }
        }
        return Optional.empty();
    }

    /** Publishes blocks that were committed to the books. The chain may already have more blocks, not committed yet. */
    void connected(HeaderChain chain, List<Bookkeeping.Entry> blocks) {
        published = chain;
        long before = tip().orElseThrow().height();
        long top = blocks.get(blocks.size() - 1).block().height();
        long height = chain.publishableUpTo(top);
        if (height <= before) {
            return;
        }
        FollowedTip now = tipOf(chain, height);
        // The tip first: subscribers read the books up to the tip that they see, and get no further event before the
        // next block.
        setTip(now);
        if (height == top && before + 1 == blocks.get(0).block().height()) {
            blocks.forEach(entry -> send(new FollowEvent.Connected(entry.block())));
        } else {
            send(new FollowEvent.Advanced(before + 1, now));
        }
    }

    /** Reports that the books have more data on the same blocks, from this height on. Before the first tip there are no readers to tell. */
    void joined(long from) {
        tip().ifPresent(now -> send(new FollowEvent.Joined(from, now)));
    }

    /**
     * Publishes the removal of blocks.
     *
     * @param removed highest first; {@code chain} ends below them
     */
    void disconnected(HeaderChain chain, List<BlockRow> removed) {
        long before = tip().orElseThrow().height();
        removed.stream()
                .filter(row -> row.height() <= before)
                .forEach(row -> send(new FollowEvent.Disconnected(row.place())));
        if (before > chain.height()) {
            setTip(tipOf(chain, chain.height()));
        }
    }

    /** Publishes the removal of all published blocks, highest first; the chain that replaces them is published next. */
    void forget(HeaderChain chain) {
        long before = tip().orElseThrow().height();
        for (int i = chain.size() - 1; i >= 0; i--) {
            if (chain.get(i).height() <= before) {
                send(new FollowEvent.Disconnected(chain.get(i).place()));
            }
        }
        published = HeaderChain.of(List.of());
    }

    private static FollowedTip tipOf(HeaderChain chain, long height) {
        return tipOf(chain.at(height).orElseThrow());
    }

    private static FollowedTip tipOf(BlockRow row) {
        return new FollowedTip(row.place(), row.timestamp());
    }

    private void send(FollowEvent event) {
        actors.forEach(subscriber -> subscriber.tell(event));
    }

    private void setTip(FollowedTip tip) {
        FollowStatus now = status.get();
        status.set(new FollowStatus(
                Optional.of(tip),
                now.network(),
                now.nodesHeight(),
                now.namedHeight(),
                now.startedAt(),
                now.complaints()));
        if (!now.tip().equals(Optional.of(tip))) {
            queues.forEach(queue -> queue.offer(tip));
        }
    }
}
