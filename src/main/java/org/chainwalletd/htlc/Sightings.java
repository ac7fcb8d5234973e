package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knowledge of the index from outside the blocks: locks, claims and reclaims that were sent or are in a mempool. Durable when a stage completes.
 * A block says the same again and more; what it says stays.
 */
public final class Sightings {
    private static final Logger LOG = LoggerFactory.getLogger(Sightings.class);

    private final Books books;
    private final IntentStore intents;
    private final HtlcBook book;
    private final Executor executor;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** @param executor for decoding; never blocks */
    public Sightings(Books books, IntentStore intents, HtlcBook book, Executor executor) {
        this.books = books;
        this.intents = intents;
        this.book = book;
        this.executor = executor;
    }

    /**
     * @param listener runs after each time that something may have been entered; must not block
     * @return ends that
     */
    public Runnable whenEntered(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private <T> CompletionStage<T> entering(CompletionStage<T> writing) {
        return writing.whenCompleteAsync((done, failure) -> listeners.forEach(Runnable::run), executor);
    }

    /** Whether the followed chain has the lock in a block; false also while the books cannot be read. */
    CompletionStage<Boolean> isInBlock(Outpoint lock) {
        return books.read(session -> HtlcRows.find(session.head(), lock))
                .thenApplyAsync(
                        row -> row.map(HtlcRow::lockHeight)
                                .filter(OptionalLong::isPresent)
                                .isPresent(),
                        executor)
                .exceptionallyAsync(unreadable -> false, executor);
    }

    /**
     * A transaction that is in no block, whoever made it: of a mempool, or our own. What is not about HTLCs of this daemon is passed over.
     *
     * @param txId computed from the bytes
     */
    public CompletionStage<Void> seen(Hash256 txId, Transaction tx) {
        boolean locks = tx.outputs().stream()
                .anyMatch(output -> HtlcScript.recognise(output.script()).isPresent());
        boolean spends = tx.witnesses().stream()
                .anyMatch(witness -> HtlcWitness.classify(witness).isPresent());
        if (!locks && !spends) {
            return CompletableFuture.completedFuture(null);
        }
        return entering(books.write(session -> {
            book.locks(txId, tx, HtlcTable.NOWHERE, book.table().view(session.head()))
                    .forEach(lock -> HtlcRows.see(session.head(), lock, tx.inputs()));
            see(session.head(), txId, tx);
            return null;
        }));
    }

    /** Spends of outpoints that the index does not know change no row. */
    private static void see(Page page, Hash256 txId, Transaction tx) {
        for (int i = 0; i < tx.witnesses().size(); i++) {
            Outpoint outpoint = tx.inputs().get(i);
            Optional<HtlcSpend> spend = HtlcWitness.classify(tx.witnesses().get(i));
            if (spend.isPresent() && spend.get() instanceof HtlcSpend.Claim claim) {
                HtlcRows.seeClaim(page, new HtlcTable.Claimed(outpoint, txId, i, claim.preimage(), HtlcTable.NOWHERE));
            } else if (spend.isPresent()) {
                HtlcRows.seeReclaim(page, new HtlcTable.Reclaimed(outpoint, txId, i, HtlcTable.NOWHERE));
            }
        }
    }

    /** A transaction of this daemon. Never fails: the block that has it brings what could not be written now. */
    CompletionStage<Void> ofIntent(Hash256 txId) {
        return intents.find(txId)
                .thenComposeAsync(
                        found -> found.map(this::of).orElseGet(() -> CompletableFuture.completedFuture(null)), executor)
                .exceptionallyAsync(
                        failure -> {
                            LOG.warn("the index does not have {} yet: {}", txId, failure.toString());
                            return null;
                        },
                        executor);
    }

    private CompletionStage<Void> of(Intent intent) {
        return seen(intent.txId(), TransactionCodec.decode(intent.transaction().toArray()));
    }

    /** Records every lock, claim and reclaim in flight, which the previous process may not have written before it ended. */
    CompletionStage<Void> ofIntentsInFlight() {
        return intents.inFlight()
                .thenComposeAsync(
                        found -> Bounded.each(
                                found.stream()
                                        .filter(intent -> isHtlc(intent) && !isSecret(intent))
                                        .toList(),
                                1,
                                this::of,
                                executor),
                        executor)
                .thenApplyAsync(done -> null, executor);
    }

    private static boolean isHtlc(Intent intent) {
        return intent.state().inFlight()
                && List.of(LockRequest.KIND, ClaimRequest.KIND, ReclaimRequest.KIND)
                        .contains(intent.kind());
    }

    /** The claim of a swap that no node is known to have taken: its preimage may be nobody's but ours yet. */
    private static boolean isSecret(Intent intent) {
        return intent.state() == IntentState.PREPARED && SealedClaims.isSwapClaim(intent);
    }

    /** The nodes have lost a lock to another transaction. */
    CompletionStage<Void> lose(Outpoint lock) {
        return entering(books.write(session -> {
            HtlcRows.lose(session.head(), lock);
            return null;
        }));
    }
}
