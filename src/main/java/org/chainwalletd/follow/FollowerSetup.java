package org.chainwalletd.follow;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;

/**
 * What the follower works with.
 *
 * @param file where the books are
 * @param rules what the operator decides about following
 * @param work computes proofs of work
 * @param interval between two questions for the tip
 * @param executor for hashing and continuations; never blocks
 */
public record FollowerSetup(
        ChainProfile profile,
        Sources sources,
        Books file,
        List<Book<?, ?>> books,
        Rules rules,
        WorkCheck work,
        MeterRegistry meters,
        Duration interval,
        Clock clock,
        Executor executor) {
    /**
     * Who is asked.
     *
     * @param nodes all that are configured, at least one
     * @param any asks whichever node is there: for what proves itself
     * @param rules what the chain demands of its blocks, as one node shows its genesis block
     */
    public record Sources(
            List<FollowedNode> nodes, NodeClient any, Function<NodeClient, CompletionStage<ChainRules>> rules) {
        public Sources {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * What the operator decides.
     *
     * @param verifyWork whether proofs of work are checked
     * @param checkpoint a block of the chain; empty: the nodes must agree on one
     * @param from height from which the first start begins a rescan; empty: it begins none
     * @param readsHistories whether rescans begin by themselves for addresses whose history is not known
     */
    public record Rules(
            boolean verifyWork, Optional<BlockPlace> checkpoint, Optional<Long> from, boolean readsHistories) {
        public static final Rules DEFAULT = new Rules(true, Optional.empty(), Optional.empty(), true);
    }

    public FollowerSetup {
        books = List.copyOf(books);
    }

    List<FollowedNode> nodes() {
        return sources.nodes();
    }

    NodeClient any() {
        return sources.any();
    }
}
