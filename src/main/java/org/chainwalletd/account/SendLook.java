package org.chainwalletd.account;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Outcome;

/** Asks the quorum what became of transactions of one address. A question on which it does not agree is left for the next look. */
final class SendLook {
    /** Receipts that are asked for at a time, those of the lowest nonces. */
    private static final int MOST = 128;

    private static final int MOST_BLOCKS = 64;

    private final SendSetup setup;

    SendLook(SendSetup setup) {
        this.setup = setup;
    }

    /** Knowledge of one row at this look. */
    sealed interface Finding {
        /** The chain has not come to its nonce yet. */
        record Waiting() implements Finding {}

        record InBlock(Outcome outcome, boolean isFinal) implements Finding {}

        /** At a final block the nonce is spent, and the quorum knows no receipt of any version. */
        record Gone() implements Finding {}
    }

    /** @param findings by id of the row; none for what could not be found out */
    record Findings(long head, Map<Long, Finding> findings) {}

    /** Where the chain stands. */
    private record Place(long head, long count, Optional<AccountBlock> last, long countAtLast) {}

    CompletionStage<Findings> look(EvmAddress from, List<AccountSend> rows) {
        return place(from)
                .thenComposeAsync(
                        place -> standing(place, rows)
                                .thenComposeAsync(standing -> look(place, rows, standing), setup.executor()),
                        setup.executor());
    }

    private CompletionStage<Place> place(EvmAddress from) {
        AccountChain chain = setup.chain();
        CompletableFuture<Long> head = chain.reached(reads -> reads.block(BlockRef.Tag.LATEST)
                        .thenApplyAsync(block -> block.map(AccountBlock::number).orElse(0L), setup.executor()))
                .toCompletableFuture();
        CompletableFuture<Long> count = chain.reached(reads -> reads.transactionCount(from, BlockRef.Tag.LATEST))
                .toCompletableFuture();
        CompletableFuture<Optional<AccountBlock>> last = chain.finalBlock().toCompletableFuture();
        CompletableFuture<Long> countAtLast = last.thenComposeAsync(
                block -> block.isEmpty()
                        ? CompletableFuture.completedFuture(0L)
                        : chain.agreed(reads -> reads.transactionCount(
                                        from, BlockRef.hash(block.get().hash())))
                                // Only a nonce that somebody else has used is told by it; that can wait.
                                .exceptionallyAsync(failure -> 0L, setup.executor()),
                setup.executor());
        return CompletableFuture.allOf(head, count, last, countAtLast)
                .thenApplyAsync(
                        done -> new Place(head.join(), count.join(), last.join(), countAtLast.join()),
                        setup.executor());
    }

    /**
     * Blocks of mined rows that still are what they were: their rows need not be asked for until they are final. One question for each block,
     * however many of our transactions it holds.
     */
    private CompletionStage<Set<Hash256>> standing(Place place, List<AccountSend> rows) {
        long last = place.last().map(AccountBlock::number).orElse(-1L);
        Map<Long, CompletableFuture<Optional<Hash256>>> hashes = new TreeMap<>();
        rows.stream()
                .flatMap(row -> row.progress().outcome().stream())
                .map(Outcome::blockNumber)
                .filter(number -> number > last)
                .distinct()
                .sorted()
                .limit(MOST_BLOCKS)
                .forEach(number -> hashes.put(number, hashAt(number)));
        return CompletableFuture.allOf(hashes.values().toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> hashes.values().stream()
                                .flatMap(hash -> hash.join().stream())
                                .collect(Collectors.toSet()),
                        setup.executor());
    }

    private CompletableFuture<Optional<Hash256>> hashAt(long number) {
        return setup.chain()
                .agreed(reads -> reads.block(BlockRef.number(number))
                        .thenApplyAsync(block -> block.map(AccountBlock::hash), setup.executor()))
                .exceptionallyAsync(failure -> Optional.empty(), setup.executor())
                .toCompletableFuture();
    }

    private static boolean stands(AccountSend row, Set<Hash256> standing) {
        return row.progress()
                .outcome()
                .filter(outcome -> standing.contains(outcome.blockHash()))
                .isPresent();
    }

    private CompletionStage<Findings> look(Place place, List<AccountSend> rows, Set<Hash256> standing) {
        Map<Long, Finding> findings = new HashMap<>();
        Map<AccountSend, CompletableFuture<Optional<Outcome>>> outcomes = new HashMap<>();
        for (AccountSend row : rows) {
            if (row.nonce() >= place.count() && row.state() != AccountSend.State.MINED) {
                findings.put(row.id(), new Finding.Waiting());
            }
        }
        rows.stream()
                .filter(row -> !findings.containsKey(row.id()) && !stands(row, standing))
                .sorted(Comparator.comparingLong(AccountSend::nonce))
                .limit(MOST)
                .forEach(row -> outcomes.put(
                        row,
                        setup.chain()
                                .agreed(reads ->
                                        outcome(reads, row, row.versions().size() - 1))
                                .toCompletableFuture()));
        return CompletableFuture.allOf(outcomes.values().stream()
                        .map(outcome -> outcome.handleAsync((found, failure) -> null, setup.executor()))
                        .toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> {
                            outcomes.forEach((row, outcome) ->
                                    finding(place, row, outcome).ifPresent(finding -> findings.put(row.id(), finding)));
                            return new Findings(place.head(), findings);
                        },
                        setup.executor());
    }

    private Optional<Finding> finding(Place place, AccountSend row, CompletableFuture<Optional<Outcome>> found) {
        if (found.isCompletedExceptionally()) {
            return Optional.empty();
        }
        Optional<Outcome> outcome = found.join();
        if (outcome.isPresent()) {
            boolean isFinal = place.last()
                    .filter(last -> outcome.get().blockNumber() <= last.number())
                    .isPresent();
            return Optional.of(new Finding.InBlock(outcome.get(), isFinal));
        }
        if (row.nonce() < place.countAtLast()) {
            return Optional.of(new Finding.Gone());
        }
        return row.nonce() >= place.count() ? Optional.of(new Finding.Waiting()) : Optional.empty();
    }

    /** The receipt of a version, the newest first; one endpoint's word. */
    private CompletionStage<Optional<Outcome>> outcome(AccountReads reads, AccountSend row, int version) {
        if (version < 0) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Hash256 hash = row.versions().get(version).hash();
        return reads.receipt(hash)
                .thenComposeAsync(
                        receipt -> receipt.isPresent()
                                ? CompletableFuture.completedFuture(receipt.map(found ->
                                        new Outcome(hash, found.blockNumber(), found.blockHash(), found.succeeded())))
                                : outcome(reads, row, version - 1),
                        setup.executor());
    }
}
