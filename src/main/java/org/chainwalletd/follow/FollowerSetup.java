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
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;

/**
 * Dependencies and settings of the follower.
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
     * Nodes that are asked.
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
     * Settings of the operator.
     *
     * @param verifyWork whether proofs of work are checked
     * @param genesis id of the first block; empty: it is the one that was met first
     * @param checkpoint a block of the chain; empty: the nodes must agree on one
     * @param from height from which the first start begins a rescan; empty: it begins none
     * @param readsHistories whether rescans begin by themselves, for addresses whose history is not known and to link the chain
     */
    public record Rules(
            boolean verifyWork,
            Optional<Hash256> genesis,
            Optional<BlockPlace> checkpoint,
            Optional<Long> from,
            boolean readsHistories) {
        public static final Rules DEFAULT = new Rules(true, Optional.empty(), Optional.empty(), Optional.empty(), true);

        /**
         * Why the chain of the books is not known to be the operator's, in words; empty when it is.
         *
         * @param ancestor the lowest block that it stands on by ids
         */
        Optional<String> unverified(Network network, BlockPlace ancestor) {
            if (network == Network.DEVNET) {
                return Optional.empty();
            }
            if (genesis.isEmpty()) {
                return Optional.of("no --expect-genesis names the chain: it is the one that was met first");
            }
            if (ancestor.height() == 0) {
                return ancestor.blockId().equals(genesis.get())
                        ? Optional.empty()
                        : Optional.of("the books stand on block " + ancestor.blockId()
                                + " at height 0 and not on the genesis that --expect-genesis names: they are of another"
                                + " chain, and --checkpoint=height:id of the right one takes them back");
            }
            return checkpoint.equals(Optional.of(ancestor))
                    ? Optional.empty()
                    : Optional.of(
                            "the chain is linked down to block " + ancestor.height()
                                    + " alone, and not yet to the genesis or a --checkpoint (rescan with from_height 0 links it)");
        }

        /** From where the blocks have to be read that link the chain to what the operator has named; empty when there is no need. */
        Optional<Long> linkedFrom(Network network, BlockPlace ancestor) {
            boolean linked =
                    ancestor.height() == 0 || unverified(network, ancestor).isEmpty();
            if (genesis.isEmpty() || linked) {
                return Optional.empty();
            }
            return checkpoint
                    .map(named -> named.height() + 1)
                    .filter(above -> above <= ancestor.height())
                    .or(() -> Optional.of(1L));
        }
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

    /**
     * Configured node, as the follower sees it.
     *
     * @param name for the log
     * @param client asks this node only, once
     */
    public record FollowedNode(String name, NodeClient client) {}
}
