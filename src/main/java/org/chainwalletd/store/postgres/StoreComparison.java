package org.chainwalletd.store.postgres;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Compares two stores, one of which is a copy of the other, by reading them as a daemon does: all open objects, and the oldest and newest of the
 * finished ones. Blocks.
 */
final class StoreComparison {
    private static final int SAMPLE = 100;
    private static final long PATIENCE_MINUTES = 10;

    private final Store from;
    private final Store to;
    private final SqlSession file;
    private final SqlSession server;
    private int compared;
    private String difference;

    /**
     * Creates a comparison.
     *
     * @param from store in a file
     * @param to store in a database
     * @param file session on that file, also to find keys for which the stores have no query
     * @param server session on that database
     */
    StoreComparison(Store from, Store to, SqlSession file, SqlSession server) {
        this.from = from;
        this.to = to;
        this.file = file;
        this.server = server;
    }

    /**
     * Compares the numbers of rows, and then everything that is read, and returns the number of objects compared.
     *
     * @param rows number of rows that each table of the copy has
     * @param back whether the file is the copy
     * @param different creates the failure for a clause that names what differs
     */
    int requireEqual(Map<String, Long> rows, boolean back, Function<String, StoreException> different)
            throws SQLException {
        for (Map.Entry<String, Long> table : rows.entrySet()) {
            same(table.getKey(), table.getValue(), TableCopy.count(back ? file : server, table.getKey()));
            if (!back) {
                same(table.getKey(), table.getValue(), TableCopy.count(file, table.getKey()));
            }
        }
        requireNoDifference(different);
        derived(
                back,
                "live_tokens",
                file.number("SELECT (SELECT count(*) FROM spends WHERE token_key IS NOT NULL)"
                        + " + (SELECT count(*) FROM payouts)"));
        derived(back, "held_coins", answer(from.reservations().all()).size());
        requireNoDifference(different);
        compareObjects();
        requireNoDifference(different);
        return compared;
    }

    private void requireNoDifference(Function<String, StoreException> different) {
        if (difference != null) {
            throw different.apply(difference);
        }
    }

    /** Compares the number of rows of a table that only the server has with what the file has instead. */
    private void derived(boolean back, String table, long inFile) throws SQLException {
        long onServer = TableCopy.count(server, table);
        same(table, back ? onServer : inFile, back ? inFile : onServer);
    }

    private void same(String table, long rows, long copied) {
        note(table + " (" + rows + " rows became " + copied + ")", rows, copied);
    }

    private void compareObjects() throws SQLException {
        spends();
        payouts();
        sweeps();
        accountSends();
        same("swaps", store -> store.swaps().watched());
        same("swaps", store -> store.swaps().page(Optional.empty(), Long.MAX_VALUE, SAMPLE));
        same("swaps", store -> store.swaps().newest());
        same("watched addresses", store -> store.watchOnly().all());
        for (String scan : file.query("SELECT name FROM scans", row -> row.getString(1))) {
            same("cursors of chains", store -> store.scans().of(scan));
        }
    }

    private void spends() throws SQLException {
        long last = file.number("SELECT max((SELECT coalesce(max(id), 0) FROM spends),"
                + " (SELECT coalesce(max(id), 0) FROM kept_spends))");
        inAnyOrder("payments in flight", store -> store.intents().inFlight());
        inAnyOrder("reserved coins", store -> store.reservations().all());
        inAnyOrder("confirmed payments", store -> store.intents().unburied());
        same("lost payments", store -> store.intents().lost(0, SAMPLE));
        same("uses of the allowance", store -> store.allowance().spentSince(0));
        spends(0);
        spends(Math.max(0, last - SAMPLE));
        for (String id : file.query(
                "SELECT tx_id FROM erased_spends ORDER BY id DESC LIMIT " + SAMPLE,
                row -> Hash256.of(row.getBytes(1)).hex())) {
            same("erased payments", store -> store.history().ofTransaction(Hash256.parse(id)));
        }
    }

    private void spends(long after) {
        same("payments", store -> store.history().after(after, SAMPLE));
        for (SpendHistory.PastSpend spend : answer(from.history().after(after, SAMPLE))) {
            same("payment " + spend.txId(), store -> store.intents().find(spend.txId()));
            same("payment " + spend.txId(), store -> store.history().ofTransaction(spend.txId()));
            if (spend.clientToken().isPresent()) {
                String token = spend.clientToken().get();
                same("token of " + spend.txId(), store -> store.receipts().bound(token, Long.MIN_VALUE));
                same("token of " + spend.txId(), store -> store.history().everBound(token));
            }
        }
    }

    private void payouts() {
        same("payouts", store -> store.payouts().list(Optional.empty(), 0, SAMPLE));
        same("changes of payouts", store -> store.payouts().changes(PayoutStore.BEGINNING, SAMPLE));
        same("the pause of payouts", store -> store.payouts().isPaused());
        same("unfinished payouts", store -> store.payouts().unfinished());
        same("batches of payouts", store -> store.payouts().unrecalled());
    }

    private void sweeps() throws SQLException {
        inAnyOrder("running sweeps", store -> store.sweeps().running());
        for (String token : file.query(
                "SELECT client_token FROM sweeps ORDER BY id DESC LIMIT " + SAMPLE, row -> row.getString(1))) {
            same("sweeps", store -> store.sweeps().find(token));
        }
    }

    private void accountSends() throws SQLException {
        for (BigInteger chain :
                file.query("SELECT DISTINCT chain_id FROM account_sends", row -> new BigInteger(1, row.getBytes(1)))) {
            same("account-chain sends", store -> store.accountSends().open(chain));
            same("account-chain sends", store -> store.accountSends().page(chain, Long.MAX_VALUE, SAMPLE));
        }
        same("account-chain sends", store -> store.accountSends().newestSealed());
    }

    private <T> void same(String what, Function<Store, CompletionStage<T>> read) {
        T expected = answer(read.apply(from));
        note(what, expected, answer(read.apply(to)));
        compared += expected instanceof Collection<?> many ? many.size() : 1;
    }

    private <T> void inAnyOrder(String what, Function<Store, CompletionStage<List<T>>> read) {
        List<T> expected = answer(read.apply(from));
        List<T> found = answer(read.apply(to));
        note(what, expected.size(), found.size());
        note(what, new HashSet<>(expected), new HashSet<>(found));
        compared += expected.size();
    }

    private void note(String what, Object expected, Object found) {
        if (difference == null && !Objects.equals(expected, found)) {
            difference = what;
        }
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return Causes.join(
                stage.toCompletableFuture().orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES),
                failure -> failure instanceof StoreException known
                        ? known
                        : StoreException.unavailable("the copy cannot be read: " + failure, failure));
    }
}
