package org.chainwalletd.store;

import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Durable state of the daemon about money in flight, independent of the database engine: one narrow interface per owner. Reads see committed data.
 * Only {@link #close} blocks.
 */
public interface Store extends AutoCloseable {
    IntentStore intents();

    ReservationStore reservations();

    ReceiptStore receipts();

    SpendHistory history();

    RawSendStore rawSends();

    AllowanceStore allowance();

    PayoutStore payouts();

    SweepStore sweeps();

    AccountSendStore accountSends();

    SwapStore swaps();

    ScanCursors scans();

    WatchStore watchOnly();

    /**
     * Returns why spending is stopped: the store has lost payments, and their tokens would pay again. The text says what to do. While stopped, the
     * store is read-only, and transactions that it contains are not sent again either, since other transactions may have replaced them. Empty in
     * normal operation.
     */
    Optional<String> stopped();

    /**
     * Returns why nothing can currently be written although the store is not stopped, for example because the database does not answer. Recovers by
     * itself. Empty in normal operation.
     */
    Optional<String> complaint();

    /** Returns whether payments may be missing although spending is not stopped, because the store was restored without a log that contained them. */
    boolean isForgetful();

    /**
     * Completes when spends opened by this process may be sent: no operator has declared this start of the daemon off ({@code cluster forget}) while
     * it was paused. Completes at once when no other daemon shares the store. Fails with {@code STOPPED}, or when the store cannot currently
     * determine it.
     */
    CompletionStage<Void> maySend();

    /** Returns the newest commit that is on disk, by which others can detect that the store has lost commits; empty while the store is stopped. */
    Optional<CommitMark> confirmed();

    /**
     * Returns the clock that stamps rows and judges their age: the database's clock when several daemons, whose clocks may differ, share the store.
     *
     * @param own the daemon's clock
     */
    Clock clock(Clock own);

    /** Returns whether several daemons may write the store. */
    boolean isShared();

    /** Kinds of rows that daemons cache in memory. */
    enum SharedRows {
        SPENDS("spends"),
        PAYOUTS("payouts"),
        SWEEPS("sweeps"),
        WATCHED("watch_only"),
        KEYS("keys");

        private final String table;

        SharedRows(String table) {
            this.table = table;
        }

        /** Returns the name under which triggers report changes. */
        public String table() {
            return table;
        }
    }

    /**
     * Registers a listener for row changes by other daemons. It is called soon after such a commit and before this daemon writes anything; never
     * when one daemon uses the store alone.
     *
     * @param told runs on the writer's thread; must not block, and may read in a later transaction
     */
    void whenOthersChange(SharedRows rows, Runnable told);

    /** Returns the number of queued units of work. */
    int queued();

    /** Completes when the store can no longer write although it was not closed: the process must end. */
    CompletionStage<Void> died();

    /** Finishes the queued writes, then closes the store. Blocks. */
    @Override
    void close();
}
