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
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters in the index what is known from outside the blocks: locks, claims and reclaims that were sent or are in a mempool. Durable when a stage
 * completes. A block repeats and extends this, and its information is never overwritten here.
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
     * @param listener run each time that something may have been entered; must not block
     * @return removes the listener
     */
    public Runnable whenEntered(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private <T> CompletionStage<T> entering(CompletionStage<T> writing) {
        return writing.whenCompleteAsync((done, failure) -> listeners.forEach(Runnable::run), executor);
    }

    /**
     * Tests whether the followed chain has the lock in a block. False for a block above the followed tip, which may be one node's invention while
     * the daemon catches up, and while the books cannot be read.
     */
    CompletionStage<Boolean> isInBlock(Outpoint lock) {
        return books.read(session -> isInBlock(session.head(), lock)).exceptionallyAsync(unreadable -> false, executor);
    }

    /** Reads the height of the newest followed block that may be reported to others; empty before the first, and while the books cannot be read. */
    CompletionStage<OptionalLong> followedHeight() {
        return books.read(session -> BlockRows.told(session.head())
                        .map(told -> OptionalLong.of(told.height()))
                        .orElse(OptionalLong.empty()))
                .exceptionallyAsync(unreadable -> OptionalLong.empty(), executor);
    }

    private static boolean isInBlock(Page head, Outpoint lock) {
        return BlockRows.told(head)
                .flatMap(told -> HtlcRows.find(head, lock).flatMap(row -> row.asOf(told.height())))
                .filter(row -> row.lockHeight().isPresent())
                .isPresent();
    }

    /**
     * Enters a transaction that is in no block, from a mempool or our own. Ignores it unless it concerns HTLCs of this daemon.
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

    /** Enters the HTLC spends of a transaction; spends of unknown outpoints change no row. */
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

    /** Enters a transaction of this daemon. Never fails: what could not be written now is entered with its block. */
    CompletionStage<Void> ofIntent(Hash256 txId) {
        return intents.find(txId)
                .thenComposeAsync(
                        found -> found.map(this::of).orElseGet(() -> CompletableFuture.completedFuture(null)), executor)
                .exceptionallyAsync(
                        failure -> {
                            LOG.warn("{} could not be entered in the index yet: {}", txId, failure.toString());
                            return null;
                        },
                        executor);
    }

    private CompletionStage<Void> of(Intent intent) {
        return seen(intent.txId(), TransactionCodec.decode(intent.transaction().toArray()));
    }

    /** Enters every lock, claim and reclaim in flight, which the previous process may not have written before it ended. */
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

    /** Tests whether this is a claim of a swap that no node is known to have accepted: its preimage may not be public yet. */
    private static boolean isSecret(Intent intent) {
        return intent.state() == IntentState.PREPARED && SealedClaims.isSwapClaim(intent);
    }

    /** Marks a lock as lost to another transaction at the nodes. */
    CompletionStage<Void> lose(Outpoint lock) {
        return entering(books.write(session -> {
            HtlcRows.lose(session.head(), lock);
            return null;
        }));
    }
}
