package org.chainwalletd.store;

import java.util.concurrent.CompletionStage;

/**
 * What the daemon remembers about money in flight, whatever keeps it: one narrow interface per owner. Reads see what is committed. Nothing
 * here blocks but {@link #close}.
 */
public interface Store extends AutoCloseable {
    IntentStore intents();

    ReservationStore reservations();

    ReceiptStore receipts();

    AllowanceStore allowance();

    AccountSendStore accountSends();

    SwapStore swaps();

    ScanCursors scans();

    /** Units of work that wait to be written. */
    int queued();

    /** Complete when nothing can be written any more although nobody has closed the store: the process has to end. */
    CompletionStage<Void> died();

    /** Finishes what is queued, then lets go of the store. Blocks. */
    @Override
    void close();
}
