package org.chainwalletd.wait;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;

/**
 * Looks where the nodes say that a transaction is. No node is believed by itself: two have to name the same block, or the followed chain has
 * to show the transaction by bytes; what is above the followed tip and only one node's word, the follower will tell.
 */
final class TxSearch {
    /** What was found. */
    sealed interface Found {
        /** No block that the asked node has on its best chain. */
        record Nowhere() implements Found {}

        /** Only said, as yet. */
        record Unproven() implements Found {}

        record At(BlockPlace place) implements Found {}
    }

    /** So many nodes have to agree. */
    private static final int VOICES = 2;

    private final NodeClient nodes;
    private final List<NodeClient> each;
    private final BiFunction<Hash256, BlockPlace, CompletionStage<Boolean>> proves;
    private final Executor executor;

    TxSearch(WaitSetup setup) {
        this.nodes = setup.nodes();
        this.each = setup.each();
        this.proves = setup.proves();
        this.executor = setup.executor();
    }

    /** Fails when no node answers. */
    CompletionStage<Found> look(Hash256 txId) {
        return placeOf(nodes, txId)
                .thenComposeAsync(
                        named -> named.map(place -> believed(txId, place))
                                .orElseGet(() -> CompletableFuture.completedStage(new Found.Nowhere())),
                        executor);
    }

    private CompletionStage<Found> believed(Hash256 txId, BlockPlace place) {
        CompletionStage<Boolean> agreed =
                each.size() < VOICES ? CompletableFuture.completedStage(false) : agreed(txId, place);
        return agreed.thenComposeAsync(
                        enough -> enough ? CompletableFuture.completedStage(true) : proves.apply(txId, place), executor)
                .thenApplyAsync(is -> is ? new Found.At(place) : new Found.Unproven(), executor);
    }

    private CompletionStage<Boolean> agreed(Hash256 txId, BlockPlace place) {
        CompletionStage<Integer> voices = CompletableFuture.completedStage(0);
        for (NodeClient node : each) {
            CompletionStage<Integer> voice = placeOf(node, txId)
                    .handleAsync(
                            (named, silent) -> silent == null && named.equals(Optional.of(place)) ? 1 : 0, executor);
            voices = voices.thenCombineAsync(voice, Integer::sum, executor);
        }
        return voices.thenApplyAsync(all -> all >= VOICES, executor);
    }

    /** Of a block that the asked node has on its best chain and whose list names the transaction. */
    private CompletionStage<Optional<BlockPlace>> placeOf(NodeClient asked, Hash256 txId) {
        return asked.transaction(txId)
                .thenComposeAsync(
                        found -> found.filter(tx -> !tx.inMempool())
                                .map(tx -> confirmedPlace(asked, txId, new BlockPlace(tx.blockHeight(), tx.blockId())))
                                .orElse(CompletableFuture.completedStage(Optional.empty())),
                        executor);
    }

    private CompletionStage<Optional<BlockPlace>> confirmedPlace(NodeClient asked, Hash256 txId, BlockPlace place) {
        return asked.blockAt(place.height())
                .thenApplyAsync(
                        block -> block.filter(named -> named.blockId().equals(place.blockId())
                                        && named.transactions().contains(txId))
                                .map(named -> place),
                        executor);
    }
}
