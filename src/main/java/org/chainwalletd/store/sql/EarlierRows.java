package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;

/**
 * Moves rows of older schema versions: from the tables {@code intents}, {@code tokens}, {@code reservations} and {@code allowance_uses} of version 2
 * to those of version 3, and from {@code kept_receipts} of version 14 to {@code kept_spends}. Works in batches of {@link #CHUNK_ROWS} rows: a store
 * may hold millions of rows, and moving them in one commit would need as much disk space again. The file has the newest version from the first batch
 * on, so no older release opens it partly moved, and after a crash the remaining rows are moved at the next start.
 */
final class EarlierRows {
    private static final int CHUNK_ROWS = 1_000;
    private static final String INTENT =
            "tx_id, kind, from_address, tx, inputs, built_at_height, change_index, token, digest,"
                    + " allowance, created_at, changed_at, state, reason, block_height, block_id, buried";

    private final SqlSession session;

    EarlierRows(SqlSession session) {
        this.session = session;
    }

    void moveAll() throws SQLException {
        while (moveSome(CHUNK_ROWS)) {
            continue;
        }
    }

    /** Moves up to {@code most} rows in one commit. Returns whether there may be more to move. */
    boolean moveSome(int most) throws SQLException {
        if (!Sqlite.hasTable(session, "intents")) {
            return moveReceipts(most);
        }
        session.execute("BEGIN IMMEDIATE");
        boolean moved = moveIntents(most) > 0 || moveUses(most) > 0;
        if (!moved) {
            for (String table : List.of("tokens", "reservations", "allowance_uses", "intents")) {
                session.execute("DROP TABLE " + table);
            }
        }
        session.execute("COMMIT");
        return true;
    }

    private boolean moveReceipts(int most) throws SQLException {
        if (!Sqlite.hasTable(session, "kept_receipts")) {
            return false;
        }
        session.execute("BEGIN IMMEDIATE");
        if (KeptSpends.moveOlder(session, most) == 0) {
            session.execute("DROP TABLE kept_receipts");
        }
        session.execute("COMMIT");
        return true;
    }

    private int moveIntents(int most) throws SQLException {
        List<Hash256> keys = session.query("SELECT tx_id FROM intents ORDER BY rowid LIMIT ?", SpendTable::txId, most);
        for (Hash256 txId : keys) {
            moveIntent(txId);
        }
        return keys.size();
    }

    private void moveIntent(Hash256 txId) throws SQLException {
        record Moved(Optional<String> token, List<Coin> inputs) {}
        Moved intent = session.queryOne(
                        "SELECT token, inputs FROM intents WHERE tx_id = ?",
                        row -> new Moved(row.ifText("token"), Coin.decode(row.raw("inputs"))),
                        txId)
                .orElseThrow();
        boolean bound = intent.token().isPresent()
                && session.has("SELECT 1 FROM tokens WHERE token = ? AND intent = ?", intent.token(), txId);
        session.update(
                "INSERT INTO spends (" + INTENT + ", short_id, token_key, held, counted_at) SELECT " + INTENT
                        + ", ?, ?, ?, ? FROM intents WHERE tx_id = ?",
                SpendRow.shortId(txId),
                intent.token().filter(token -> bound).map(SpendTable::tokenKey),
                held(txId, intent.inputs()),
                session.ifNumber("SELECT at FROM allowance_uses WHERE intent = ?", txId),
                txId);
        session.update("DELETE FROM intents WHERE tx_id = ?", txId);
    }

    private byte[] held(Hash256 txId, List<Coin> inputs) throws SQLException {
        Set<Outpoint> reserved = new HashSet<>(session.query(
                "SELECT tx_id, output_index FROM reservations WHERE intent = ?",
                row -> new Outpoint(Hash256.of(row.getBytes(1)), row.getLong(2)),
                txId));
        BitSet held = new BitSet();
        for (int i = 0; i < inputs.size(); i++) {
            held.set(i, reserved.contains(inputs.get(i).outpoint()));
        }
        return SpendRow.Held.of(held, inputs.size());
    }

    private int moveUses(int most) throws SQLException {
        List<Use> uses = session.query(
                "SELECT intent, amount, at FROM allowance_uses ORDER BY at LIMIT ?",
                row -> new Use(SpendTable.txId(row), Amount.ofUnsigned(row.getLong(2)), row.getLong(3)),
                most);
        for (Use use : uses) {
            AllowanceTable.ALL.count(session, use.amount(), use.at());
            session.update("DELETE FROM allowance_uses WHERE intent = ?", use.txId());
        }
        return uses.size();
    }

    /**
     * Row of the former table {@code allowance_uses}.
     *
     * @param at time of the use, milliseconds since 1970
     */
    private record Use(Hash256 txId, Amount amount, long at) {}
}
