package org.chainwalletd.store;

import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Durable state of the daemon about money in flight, independent of the database engine: one narrow interface per owner. Reads see committed
 * data. Only {@link #close} blocks.
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
     * Returns why spending is stopped: the store has lost payments, whose tokens would pay again. The text says what to do. While stopped the
     * store is only read; no bytes that it contains are sent again either, since other transactions may have replaced them. Empty in normal
     * operation.
     */
    Optional<String> stopped();

    /**
     * Returns why nothing can be written at this moment although the store is not stopped, such as a database that does not answer; it goes on by
     * itself. Empty in normal operation.
     */
    Optional<String> complaint();

    /** Tells whether payments may be missing although spending is not stopped, because the store was restored without a log that contained them. */
    boolean isForgetful();

    /**
     * Completes when what was opened here may be sent: nobody has declared this start of the daemon off while it was paused. At once where no other
     * daemon shares the store. Fails with {@code STOPPED}, or when the store cannot tell at this moment.
     */
    CompletionStage<Void> maySend();

    /** Returns the newest commit that is on the disk, for those who must notice when the store loses it; empty while the store is stopped. */
    Optional<CommitMark> confirmed();

    /**
     * Returns the clock that stamps rows and judges their age: the database's, where several daemons whose clocks may differ share it.
     *
     * @param own the daemon's clock
     */
    Clock clock(Clock own);

    /** Tells whether several daemons may write the store. */
    boolean isShared();

    /** Rows of which daemons keep copies in memory. */
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

        /** Returns the name by which triggers report changes. */
        public String table() {
            return table;
        }
    }

    /**
     * Registers who is told that another daemon has changed rows, soon after its commit and before this daemon writes anything. Never told where one
     * daemon has the store alone.
     *
     * @param told runs on the thread that writes: must not block, and may read with a later transaction
     */
    void whenOthersChange(SharedRows rows, Runnable told);

    /** Returns the number of units of work that wait to be written. */
    int queued();

    /** Completes when nothing can be written any more although nobody has closed the store: the process must end. */
    CompletionStage<Void> died();

    /** Finishes the queued writes, then closes the store. Blocks. */
    @Override
    void close();
}
