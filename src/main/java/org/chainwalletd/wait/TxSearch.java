package org.chainwalletd.wait;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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
                .thenComposeAsync(named -> each.size() < VOICES ? said(named) : voices(txId, named), executor)
                .thenComposeAsync(named -> believed(txId, named), executor);
    }

    private static CompletionStage<Map<BlockPlace, Integer>> said(Optional<BlockPlace> only) {
        return CompletableFuture.completedStage(
                only.map(place -> Map.of(place, 1)).orElse(Map.of()));
    }

    /** How many nodes name which place. Each of them is asked: one that hides a transaction, or lags, must not hide it for all. */
    private CompletionStage<Map<BlockPlace, Integer>> voices(Hash256 txId, Optional<BlockPlace> first) {
        CompletionStage<Map<BlockPlace, Integer>> voices = CompletableFuture.completedStage(Map.of());
        for (NodeClient node : each) {
            CompletionStage<Optional<BlockPlace>> voice =
                    placeOf(node, txId).exceptionallyAsync(silent -> Optional.empty(), executor);
            voices = voices.thenCombineAsync(voice, TxSearch::with, executor);
        }
        return voices.thenApplyAsync(
                all -> first.isPresent() && !all.containsKey(first.get()) ? with(all, first) : all, executor);
    }

    private static Map<BlockPlace, Integer> with(Map<BlockPlace, Integer> voices, Optional<BlockPlace> voice) {
        Map<BlockPlace, Integer> more = new HashMap<>(voices);
        voice.ifPresent(place -> more.merge(place, 1, Integer::sum));
        return more;
    }

    private CompletionStage<Found> believed(Hash256 txId, Map<BlockPlace, Integer> named) {
        if (named.isEmpty()) {
            return CompletableFuture.completedStage(new Found.Nowhere());
        }
        Optional<BlockPlace> agreed = named.entrySet().stream()
                .filter(place -> place.getValue() >= VOICES)
                .map(Map.Entry::getKey)
                .findFirst();
        return agreed.isPresent()
                ? CompletableFuture.completedStage(new Found.At(agreed.get()))
                : proven(txId, named.keySet().iterator());
    }

    private CompletionStage<Found> proven(Hash256 txId, Iterator<BlockPlace> named) {
        if (!named.hasNext()) {
            return CompletableFuture.completedStage(new Found.Unproven());
        }
        BlockPlace place = named.next();
        return proves.apply(txId, place)
                .thenComposeAsync(
                        shown -> shown ? CompletableFuture.completedStage(new Found.At(place)) : proven(txId, named),
                        executor);
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
