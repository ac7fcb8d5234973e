package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** Intents, reservations, tokens and allowance in SQLite. u64 values are kept as the bit pattern of a signed column. */
final class SqliteSpends implements IntentStore, ReservationStore, ReceiptStore, AllowanceStore {
    private static final int COIN_BYTES = 32 + 4 + 8;
    private static final String IN_FLIGHT = "('PREPARED', 'ACCEPTED')";
    /**
     * Not before it is buried: until then a reorganisation can open it again. Nor while it holds a coin: a spend that was abandoned in part
     * stays in a mempool as long as it likes, and its token must not make another one meanwhile.
     */
    private static final String CLOSED =
            "state IN ('CONFIRMED', 'REFUSED', 'CONFLICTED', 'ABANDONED') AND (state <> 'CONFIRMED' OR buried = 1)"
                    + " AND NOT EXISTS (SELECT 1 FROM reservations WHERE intent = intents.tx_id)";

    private static final String SET_STATE = "UPDATE intents SET state = ?, reason = ?, changed_at = ? WHERE tx_id = ?";
    private static final String FAILED = "('REFUSED', 'CONFLICTED', 'ABANDONED')";
    private static final String COLUMNS = "tx_id, kind, from_address, tx, inputs, built_at_height, change_index, token,"
            + " digest, allowance, created_at, changed_at, state, reason";

    private final SqliteStore store;

    SqliteSpends(SqliteStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<Void> open(Intent intent, long closedBefore) {
        return store.write(session -> {
            if (!insert(session, intent)) {
                replaceFailed(session, intent.txId());
                if (!insert(session, intent)) {
                    throw new StoreException(
                            StoreException.Reason.CONFLICT, "there is a spend " + intent.txId() + " already", null);
                }
            }
            if (intent.token().isPresent()) {
                bindToken(session, intent.token().get().token(), intent.txId(), closedBefore);
            }
            hold(session, intent.txId(), intent.inputs(), intent.allowance(), intent.createdAt());
            return null;
        });
    }

    /** False when there is one for this transaction. */
    private static boolean insert(SqlSession session, Intent intent) throws SQLException {
        int rows = session.update(
                "INSERT INTO intents (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                        + " ON CONFLICT DO NOTHING",
                key(intent.txId()),
                intent.kind(),
                intent.from().toArray(),
                intent.transaction().toArray(),
                encode(intent.inputs()),
                intent.builtAtHeight(),
                intent.changeIndex().isPresent() ? intent.changeIndex().getAsInt() : null,
                intent.token().map(TokenBinding::token).orElse(null),
                intent.token().map(binding -> binding.digest().toArray()).orElse(null),
                intent.allowance().bits(),
                intent.createdAt(),
                intent.changedAt(),
                intent.state().name(),
                intent.reason());
        return rows == 1;
    }

    private static void replaceFailed(SqlSession session, Hash256 txId) throws SQLException {
        session.update(
                "DELETE FROM tokens WHERE intent = ?1 AND token = (SELECT token FROM intents WHERE tx_id = ?1 AND state IN "
                        + FAILED + ")",
                (Object) key(txId));
        session.update("DELETE FROM intents WHERE tx_id = ? AND state IN " + FAILED, (Object) key(txId));
    }

    private static void bindToken(SqlSession session, String token, Hash256 txId, long closedBefore)
            throws SQLException {
        String bind = "INSERT INTO tokens (token, intent) VALUES (?, ?)";
        if (session.update(bind + " ON CONFLICT DO NOTHING", token, key(txId)) == 0) {
            session.update(
                    "DELETE FROM tokens WHERE token = ? AND intent IN (SELECT tx_id FROM intents WHERE " + CLOSED
                            + " AND changed_at < ?)",
                    token,
                    closedBefore);
            session.update(bind, token, key(txId));
        }
    }

    private static void hold(SqlSession session, Hash256 txId, List<Coin> coins, Amount allowance, long now)
            throws SQLException {
        for (Coin coin : coins) {
            reserve(session, "INSERT", txId, coin, now);
        }
        if (!allowance.isZero()) {
            session.update(
                    "INSERT OR REPLACE INTO allowance_uses (intent, amount, at) VALUES (?, ?, ?)",
                    key(txId),
                    allowance.bits(),
                    now);
        }
    }

    private static void reserve(SqlSession session, String insert, Hash256 txId, Coin coin, long now)
            throws SQLException {
        session.update(
                insert + " INTO reservations (tx_id, output_index, value, intent, since) VALUES (?, ?, ?, ?, ?)",
                key(coin.outpoint().txId()),
                coin.outpoint().index(),
                coin.value().bits(),
                key(txId),
                now);
    }

    @Override
    public CompletionStage<Void> reopen(Intent intent, long now) {
        Hash256 txId = intent.txId();
        return store.write(session -> {
            select(session, txId)
                    .filter(found -> found.token().equals(intent.token())
                            && !found.state().inFlight())
                    .orElseThrow(() -> new StoreException(
                            StoreException.Reason.CONFLICT, "no spend " + txId + " to open again", null));
            setState(session, txId, IntentState.PREPARED, "", now);
            session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            hold(session, txId, intent.inputs(), intent.allowance(), now);
            return null;
        });
    }

    @Override
    public CompletionStage<Void> accept(Hash256 txId, long now) {
        return store.writePatiently(session -> {
            setState(session, txId, IntentState.ACCEPTED, "", now);
            return null;
        });
    }

    @Override
    public CompletionStage<Void> change(Hash256 txId, IntentState state, String reason, long now) {
        return store.write(session -> {
            String still = state == IntentState.ACCEPTED ? " AND state = 'PREPARED'" : "";
            session.update(SET_STATE + still, state.name(), reason, now, key(txId));
            if (state == IntentState.REFUSED || state == IntentState.CONFLICTED) {
                session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
                session.update("DELETE FROM allowance_uses WHERE intent = ?", (Object) key(txId));
            }
            return null;
        });
    }

    /** When it had been confirmed before, only its block is another one. */
    @Override
    public CompletionStage<Void> confirm(Hash256 txId, BlockPlace place, long now) {
        return store.write(session -> {
            session.update(
                    "UPDATE intents SET changed_at = CASE state WHEN 'CONFIRMED' THEN changed_at ELSE ? END,"
                            + " state = 'CONFIRMED', reason = '', block_height = ?, block_id = ?, buried = 0 WHERE tx_id = ?",
                    now,
                    place.height(),
                    key(place.blockId()),
                    key(txId));
            session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<Intent>> unconfirm(Hash256 txId, long now) {
        return store.write(session -> {
            int changed = session.update(
                    "UPDATE intents SET state = 'ACCEPTED', changed_at = ?, block_height = NULL, block_id = NULL, buried = 0"
                            + " WHERE tx_id = ? AND state = 'CONFIRMED'",
                    now,
                    key(txId));
            if (changed == 0) {
                return Optional.empty();
            }
            Intent intent = select(session, txId).orElseThrow();
            for (Coin coin : intent.inputs()) {
                reserve(session, "INSERT OR IGNORE", txId, coin, now);
            }
            return Optional.of(intent);
        });
    }

    @Override
    public CompletionStage<Void> bury(List<Hash256> txIds) {
        return store.write(session -> {
            for (Hash256 txId : txIds) {
                session.update(
                        "UPDATE intents SET buried = 1 WHERE state = 'CONFIRMED' AND tx_id = ?", (Object) key(txId));
            }
            return null;
        });
    }

    @Override
    public List<ConfirmedSpend> unburied() {
        return store.read(session -> session.query(
                        "SELECT tx_id, inputs, block_height, block_id FROM intents"
                                + " WHERE state = 'CONFIRMED' AND buried = 0 ORDER BY created_at",
                        SqliteSpends::confirmed))
                .join();
    }

    private static ConfirmedSpend confirmed(ResultSet row) throws SQLException {
        byte[] blockId = row.getBytes(4);
        return new ConfirmedSpend(
                Hash256.of(row.getBytes(1)),
                decode(row.getBytes(2)),
                blockId == null ? Optional.empty() : Optional.of(new BlockPlace(row.getLong(3), Hash256.of(blockId))));
    }

    private static void setState(SqlSession session, Hash256 txId, IntentState state, String reason, long now)
            throws SQLException {
        session.update(SET_STATE, state.name(), reason, now, key(txId));
    }

    @Override
    public CompletionStage<Optional<Intent>> find(Hash256 txId) {
        return store.read(session -> select(session, txId));
    }

    private static Optional<Intent> select(SqlSession session, Hash256 txId) throws SQLException {
        return session.queryOne(
                "SELECT " + COLUMNS + " FROM intents WHERE tx_id = ?", SqliteSpends::intent, (Object) key(txId));
    }

    @Override
    public List<Intent> inFlight() {
        return store.read(session -> session.query(
                        "SELECT " + COLUMNS + " FROM intents WHERE state IN " + IN_FLIGHT
                                + " OR tx_id IN (SELECT intent FROM reservations) ORDER BY created_at, tx_id",
                        SqliteSpends::intent))
                .join();
    }

    @Override
    public CompletionStage<Integer> forget(long before) {
        return store.write(session -> {
            String closed = " WHERE " + CLOSED + " AND changed_at < ?1";
            session.update(
                    "DELETE FROM tokens WHERE token IN (SELECT token FROM intents" + closed
                            + ") AND intent IN (SELECT tx_id FROM intents" + closed + ")",
                    before);
            return session.update("DELETE FROM intents" + closed, before);
        });
    }

    @Override
    public CompletionStage<Optional<Intent>> find(String token, long closedBefore) {
        return store.read(session -> session.queryOne(
                "SELECT " + COLUMNS
                        + " FROM intents WHERE tx_id = (SELECT intent FROM tokens WHERE token = ?) AND NOT (" + CLOSED
                        + " AND changed_at < ?)",
                SqliteSpends::intent,
                token,
                closedBefore));
    }

    @Override
    public List<Reservation> all() {
        return store.read(session -> session.query(
                        "SELECT tx_id, output_index, value, intent, since FROM reservations",
                        row -> new Reservation(
                                new Coin(
                                        new Outpoint(Hash256.of(row.getBytes(1)), row.getLong(2)),
                                        Amount.ofUnsigned(row.getLong(3))),
                                Hash256.of(row.getBytes(4)),
                                row.getLong(5))))
                .join();
    }

    @Override
    public CompletionStage<Void> end(Hash256 txId) {
        return store.write(session -> {
            session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            return null;
        });
    }

    @Override
    public CompletionStage<Boolean> reserveAgain(Hash256 txId, List<Coin> coins, long now) {
        return store.write(session -> {
            boolean inFlight = select(session, txId)
                    .filter(intent -> intent.state().inFlight())
                    .isPresent();
            if (inFlight) {
                for (Coin coin : coins) {
                    reserve(session, "INSERT OR IGNORE", txId, coin, now);
                }
            }
            return inFlight;
        });
    }

    @Override
    public CompletionStage<Void> abandon(List<Outpoint> outpoints, long now) {
        return store.write(session -> {
            for (Outpoint outpoint : outpoints) {
                session.update(
                        "UPDATE intents SET state = 'ABANDONED', reason = 'abandoned by the operator', changed_at = ?"
                                + " WHERE state IN " + IN_FLIGHT
                                + " AND tx_id = (SELECT intent FROM reservations WHERE tx_id = ? AND output_index = ?)",
                        now,
                        key(outpoint.txId()),
                        outpoint.index());
                session.update(
                        "DELETE FROM reservations WHERE tx_id = ? AND output_index = ?",
                        key(outpoint.txId()),
                        outpoint.index());
            }
            return null;
        });
    }

    @Override
    public List<Use> usesSince(long since) {
        return store.read(session -> session.query(
                        "SELECT intent, amount, at FROM allowance_uses WHERE at >= ? ORDER BY at",
                        row -> new Use(Hash256.of(row.getBytes(1)), Amount.ofUnsigned(row.getLong(2)), row.getLong(3)),
                        since))
                .join();
    }

    @Override
    public CompletionStage<Void> forgetUses(long before) {
        return store.write(session -> {
            session.update("DELETE FROM allowance_uses WHERE at < ?", before);
            return null;
        });
    }

    private static Intent intent(ResultSet row) throws SQLException {
        int change = row.getInt(7);
        OptionalInt changeIndex = row.wasNull() ? OptionalInt.empty() : OptionalInt.of(change);
        String token = row.getString(8);
        return new Intent(
                Hash256.of(row.getBytes(1)),
                row.getString(2),
                Address.of(row.getBytes(3)),
                Bytes.wrap(row.getBytes(4)),
                decode(row.getBytes(5)),
                row.getLong(6),
                changeIndex,
                token == null ? Optional.empty() : Optional.of(new TokenBinding(token, Hash256.of(row.getBytes(9)))),
                Amount.ofUnsigned(row.getLong(10)),
                row.getLong(11),
                row.getLong(12),
                IntentState.valueOf(row.getString(13)),
                row.getString(14));
    }

    private static byte[] key(Hash256 txId) {
        return txId.toArray();
    }

    /** 32 bytes transaction id, u32 index, u64 value for each coin, big-endian. */
    private static byte[] encode(List<Coin> coins) {
        ByteBuffer out = ByteBuffer.allocate(COIN_BYTES * coins.size());
        for (Coin coin : coins) {
            out.put(coin.outpoint().txId().toArray());
            out.putInt((int) coin.outpoint().index());
            out.putLong(coin.value().bits());
        }
        return out.array();
    }

    private static List<Coin> decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        List<Coin> coins = new ArrayList<>(bytes.length / COIN_BYTES);
        while (in.hasRemaining()) {
            byte[] txId = new byte[32];
            in.get(txId);
            Outpoint outpoint = new Outpoint(Hash256.of(txId), Integer.toUnsignedLong(in.getInt()));
            coins.add(new Coin(outpoint, Amount.ofUnsigned(in.getLong())));
        }
        return coins;
    }
}
