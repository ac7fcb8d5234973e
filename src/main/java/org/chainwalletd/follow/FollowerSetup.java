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
 * @param file the books
 * @param rules settings of the operator
 * @param work computes proofs of work
 * @param interval between two requests for the tip
 * @param requestTimeout of one request to a node
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
        Duration requestTimeout,
        Clock clock,
        Executor executor) {
    /**
     * Nodes to ask.
     *
     * @param nodes all configured nodes, at least one
     * @param any client that uses any available node, for data that proves itself
     * @param rules reads the rules of the chain from a node's genesis block
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
     * @param genesis id of the first block; empty: the genesis of the first chain seen is accepted
     * @param checkpoint a block of the chain; empty: the nodes must agree on one
     * @param from height at which the first start begins a rescan; empty: no rescan
     * @param readsHistories whether rescans start automatically, to read unknown histories of addresses and to link the chain
     */
    public record Rules(
            boolean verifyWork,
            Optional<Hash256> genesis,
            Optional<BlockPlace> checkpoint,
            Optional<Long> from,
            boolean readsHistories) {
        public static final Rules DEFAULT = new Rules(true, Optional.empty(), Optional.empty(), Optional.empty(), true);

        /**
         * Returns the reason, as text, why the chain of the books is not known to be the operator's; empty when it is known.
         *
         * @param ancestor the lowest block to which the chain is linked by ids
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

        /** Returns the height from which blocks must be read to link the chain to the operator's genesis or checkpoint; empty if not needed. */
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
     * Configured node, as used by the follower.
     *
     * @param name for the log
     * @param client sends each call to this node only, without retries
     */
    public record FollowedNode(String name, NodeClient client) {}
}
