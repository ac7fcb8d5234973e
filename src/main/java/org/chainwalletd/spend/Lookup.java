package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeClient.NodeTransaction;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;

/** Asks the nodes for our own transactions by id, and accepts no answer without the bytes that hash to that id. Stateless. */
final class Lookup {
    private static final int AT_ONCE = 8;

    private final NodeClient node;
    private final ChainProfile profile;
    private final Executor executor;

    Lookup(NodeClient node, ChainProfile profile, Executor executor) {
        this.node = node;
        this.profile = profile;
        this.executor = executor;
    }

    /** Location of a transaction according to the nodes that answer. */
    enum Location {
        CONFIRMED,
        MEMPOOL,
        NOWHERE
    }

    /**
     * Statements of the individual nodes about a transaction.
     *
     * @param waiting whether some mempool has it
     * @param block block that contains it, as some node claims
     * @param lacking nodes that answer that they do not know it: indices in {@link NodeClient#each}
     */
    record Sighting(boolean waiting, Optional<BlockPlace> block, List<Integer> lacking) {
        Sighting {
            lacking = List.copyOf(lacking);
        }
    }

    /** Asks the nodes like any other call; fails with {@link NodeException}. */
    CompletionStage<Optional<NodeTransaction>> find(Hash256 txId) {
        return find(node, txId);
    }

    private CompletionStage<Optional<NodeTransaction>> find(NodeClient at, Hash256 txId) {
        return at.transaction(txId)
                .thenApplyAsync(
                        found -> {
                            found.ifPresent(shown -> shown.decode(profile));
                            return found;
                        },
                        executor);
    }

    /** Asks one node where it has the transaction; fails when the call fails. */
    CompletionStage<Location> at(NodeClient one, Hash256 txId) {
        return find(one, txId)
                .thenApplyAsync(
                        answer -> answer.map(
                                        found -> found.blockHeight() == null ? Location.MEMPOOL : Location.CONFIRMED)
                                .orElse(Location.NOWHERE),
                        executor);
    }

    /** Asks every node where it has the transaction; fails when none has answered. */
    CompletionStage<Sighting> sight(Hash256 txId) {
        return heard(txId).thenApplyAsync(Lookup::sighting, executor);
    }

    /**
     * Asks every node whether it lacks the transaction, and waits for all of them; false if one has it. Otherwise fails when a node gave no
     * usable answer, because that node may have it.
     */
    CompletionStage<Boolean> lacking(Hash256 txId) {
        return heard(txId).thenApplyAsync(heard -> isLacking(txId, heard), executor);
    }

    private static boolean isLacking(Hash256 txId, List<Outcome<Optional<NodeTransaction>>> heard) {
        if (heard.stream()
                .anyMatch(answer -> answer.value().flatMap(Function.identity()).isPresent())) {
            return false;
        }
        heard.stream().flatMap(answer -> answer.failure().stream()).findFirst().ifPresent(silent -> {
            throw new NodeException.Unreachable("a node that gives no usable answer may have " + txId
                    + ", nothing is abandoned (if the node is gone, start without it): "
                    + Broadcast.messageOf(silent));
        });
        return true;
    }

    private CompletionStage<List<Outcome<Optional<NodeTransaction>>>> heard(Hash256 txId) {
        List<NodeClient> all = node.each();
        return Bounded.each(
                IntStream.range(0, all.size()).boxed().toList(),
                AT_ONCE,
                index -> heard(all.get(index), txId),
                executor);
    }

    private CompletionStage<Outcome<Optional<NodeTransaction>>> heard(NodeClient one, Hash256 txId) {
        return find(one, txId).handleAsync(Outcome::of, executor);
    }

    /**
     * @param heard answers of the nodes; a node's entry fails when it gave no usable answer
     */
    private static Sighting sighting(List<Outcome<Optional<NodeTransaction>>> heard) {
        boolean waiting = false;
        Optional<BlockPlace> block = Optional.empty();
        List<Integer> lacking = new ArrayList<>();
        Optional<Throwable> failure = Optional.empty();
        for (int i = 0; i < heard.size(); i++) {
            if (heard.get(i) instanceof Outcome.Failed<Optional<NodeTransaction>> failed) {
                failure = Optional.of(failed.cause());
                continue;
            }
            Optional<NodeTransaction> found = heard.get(i).value().orElseThrow();
            if (found.isEmpty()) {
                lacking.add(i);
            } else if (found.get().blockHeight() == null) {
                waiting = true;
            } else {
                block = Optional.of(
                        new BlockPlace(found.get().blockHeight(), found.get().blockId()));
            }
        }
        if (failure.isPresent() && !waiting && block.isEmpty() && lacking.isEmpty()) {
            throw new NodeException.Unreachable("no node answers: " + Broadcast.messageOf(failure.get()));
        }
        return new Sighting(waiting, block, lacking);
    }

    /**
     * Asks one node after the other until one knows the transaction. {@code NOWHERE} when none knows it and at least one has answered;
     * fails when none has answered.
     */
    CompletionStage<Location> anywhere(Hash256 txId) {
        AtomicBoolean heard = new AtomicBoolean();
        return Bounded.first(
                        node.each(),
                        one -> at(one, txId)
                                .thenApplyAsync(
                                        where -> {
                                            heard.set(true);
                                            return Optional.of(where).filter(there -> there != Location.NOWHERE);
                                        },
                                        executor)
                                .exceptionallyAsync(silent -> Optional.empty(), executor),
                        executor)
                .thenComposeAsync(
                        found -> found.isPresent() || heard.get()
                                ? CompletableFuture.completedFuture(found.orElse(Location.NOWHERE))
                                : at(node, txId),
                        executor);
    }
}
