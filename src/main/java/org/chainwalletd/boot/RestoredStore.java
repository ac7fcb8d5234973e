package org.chainwalletd.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreRestore;

/** Recovery of a datadir's store that was restored from a backup, emptied or lost: completes it from the sent log and reports what was added. */
public final class RestoredStore {
    private RestoredStore() {}

    /**
     * Restores the store for an operator, while no daemon uses the datadir.
     *
     * @param without whether payments that no log contains are accepted as forgotten
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when there is nothing to restore, or a log is missing whose payments are not accepted as
     *     forgotten
     */
    public static void restore(Path datadir, boolean without, Consumer<String> out) throws IOException {
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            restoreHeld(datadir, without, out);
            lock.check();
        }
    }

    /** Restores the store at a start with {@code --store-restored}, accepting forgotten payments, under the lock of the starting daemon. */
    static void restoreAtStart(Path datadir, Consumer<String> out) {
        if (!SqliteStore.needsRestore(datadir, Books.remembered(datadir))) {
            throw new StartupException(
                    "the store in " + datadir + " is the one that this datadir has worked with: start"
                            + " without --store-restored, which would let a store pass that has forgotten payments");
        }
        restoreHeld(datadir, true, out);
    }

    private static void restoreHeld(Path datadir, boolean without, Consumer<String> out) {
        Optional<CommitMark> books = Books.remembered(datadir);
        StoreRestore.Restored restored =
                SqliteStore.restore(datadir, books, without, mark -> Books.remember(datadir, mark));
        report(restored, out);
        if (!restored.complete()) {
            reportForgotten(SqliteStore.unknown(datadir, Books.spenders(datadir, 0)), out);
        }
    }

    static void report(StoreRestore.Restored restored, Consumer<String> out) {
        out.accept("entered from sent.log: " + restored.inFlight().size() + " payments that are sent again, "
                + restored.doubtful().size() + " doubtful, "
                + restored.withheld().size() + " claims without their bytes, "
                + restored.ended() + " that were over, " + restored.account() + " of the account chain"
                + (restored.keys() == 0 ? "" : "; " + restored.keys() + " keys are listed again")
                + (restored.held() == 0
                        ? ""
                        : "; " + restored.held() + " payouts are held until payout_release or payout_cancel"));
        restored.inFlight().forEach(intent -> out.accept("sent again: " + words(intent)));
        restored.doubtful()
                .forEach(intent -> out.accept(
                        "doubtful: " + words(intent) + "; not sent unless its call is repeated with its client_token"));
        restored.unnamed()
                .forEach(send -> out.accept("left out: 0x" + send.newest().hash() + ", a payment of "
                        + send.call().value() + " wei to 0x" + send.call().to().hex()
                        + " without client_token; no log shows that it was written down: look for it on the account chain"
                        + " before it is paid again"));
        restored.withheld()
                .forEach(intent -> out.accept("claim: " + words(intent) + "; repeat it when its HTLC is still locked"));
    }

    private static String words(Intent intent) {
        return intent.txId() + " " + intent.kind() + " from " + intent.from() + ", " + intent.allowance()
                + " left, client_token "
                + intent.token().map(TokenBinding::token).orElse("none");
    }

    /** Reports transactions signed by our keys that no row records. Only blocks are searched here; the running daemon searches mempools. */
    static void reportForgotten(List<Hash256> forgotten, Consumer<String> out) {
        out.accept("transactions in blocks that spent coins of this datadir and that the store does not know: "
                + forgotten.size());
        forgotten.forEach(txId -> out.accept("unknown: " + txId));
        out.accept(
                "payments of forgotten client tokens are paid again when their calls come again: compare the above with"
                        + " the books of the worker that pays before it goes on");
    }
}
