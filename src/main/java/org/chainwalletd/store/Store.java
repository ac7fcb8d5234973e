package org.chainwalletd.store;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What the daemon remembers about money in flight, whatever keeps it: one narrow interface per owner. Reads see what is committed. Nothing
 * here blocks but {@link #close}.
 */
public interface Store extends AutoCloseable {
    IntentStore intents();

    ReservationStore reservations();

    ReceiptStore receipts();

    SpendHistory history();

    AllowanceStore allowance();

    PayoutStore payouts();

    SweepStore sweeps();

    AccountSendStore accountSends();

    SwapStore swaps();

    ScanCursors scans();

    WatchStore watchOnly();

    /**
     * Why nothing is spent: the store has forgotten payments, whose tokens would pay again. It says what to do. Until then the store is read
     * and never written; no bytes that it knows are sent again either, since others may have taken their place.
     */
    Optional<String> stopped();

    /** Whether payments may be missing although nothing is stopped, because the store was restored without a log that knew them. */
    boolean isForgetful();

    /** The newest commit that is on the disk, for whoever is to notice when the store forgets it; empty while it is stopped. */
    Optional<CommitMark> confirmed();

    /** Units of work that wait to be written. */
    int queued();

    /** Complete when nothing can be written any more although nobody has closed the store: the process has to end. */
    CompletionStage<Void> died();

    /** Finishes what is queued, then lets go of the store. Blocks. */
    @Override
    void close();
}
