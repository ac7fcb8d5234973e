package org.chainwalletd.store;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
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

    /** All that can collide is looked at before anything is written. */
    @Override
    public CompletionStage<Opening> open(Intent intent, long closedBefore) {
        return store.write(session -> {
            Optional<Opening> collision = collision(session, intent, closedBefore);
            if (collision.isPresent()) {
                return collision.get();
            }
            replaceFailed(session, intent.txId());
            insert(session, intent);
            if (intent.token().isPresent()) {
                session.update(
                        "INSERT OR REPLACE INTO tokens (token, intent) VALUES (?, ?)",
                        intent.token().get().token(),
                        key(intent.txId()));
            }
            hold(session, intent.txId(), intent.inputs(), intent.allowance(), intent.createdAt());
            return new Opening.Opened();
        });
    }

    private static Optional<Opening> collision(SqlSession session, Intent intent, long closedBefore)
            throws SQLException {
        if (intent.token().isPresent()) {
            Optional<Intent> by = bound(session, intent.token().get().token(), closedBefore);
            if (by.isPresent()) {
                return Optional.of(new Opening.TokenTaken(by.get()));
            }
        }
        Optional<Intent> there =
                select(session, intent.txId()).filter(found -> !found.state().failed());
        return there.isPresent()
                ? Optional.of(new Opening.SameTransaction(there.get()))
                : taken(session, intent, Optional.empty());
    }

    /** An input that is held, but not by {@code own}. */
    private static Optional<Opening> taken(SqlSession session, Intent intent, Optional<Hash256> own)
            throws SQLException {
        for (Coin coin : intent.inputs()) {
            Optional<Hash256> by = session.queryOne(
                    "SELECT intent FROM reservations WHERE tx_id = ? AND output_index = ?",
                    row -> Hash256.of(row.getBytes(1)),
                    key(coin.outpoint().txId()),
                    coin.outpoint().index());
            if (by.isPresent() && !by.equals(own)) {
                return Optional.of(new Opening.CoinTaken(coin, by.get()));
            }
        }
        return Optional.empty();
    }

    private static void insert(SqlSession session, Intent intent) throws SQLException {
        session.update(
                "INSERT INTO intents (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    }

    private static void replaceFailed(SqlSession session, Hash256 txId) throws SQLException {
        session.update(
                "DELETE FROM tokens WHERE intent = ?1 AND token = (SELECT token FROM intents WHERE tx_id = ?1 AND state IN "
                        + FAILED + ")",
                (Object) key(txId));
        session.update("DELETE FROM intents WHERE tx_id = ? AND state IN " + FAILED, (Object) key(txId));
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
    public CompletionStage<Opening> reopen(Intent intent, long now) {
        Hash256 txId = intent.txId();
        return store.write(session -> {
            Optional<Intent> found = select(session, txId);
            if (found.isPresent() && !found.get().token().equals(intent.token())) {
                return new Opening.SameTransaction(found.get());
            }
            if (found.filter(there ->
                            there.state() == intent.state() && there.state().failed())
                    .isEmpty()) {
                return new Opening.Moved(found.map(Intent::state));
            }
            Optional<Opening> taken = taken(session, intent, Optional.of(txId));
            if (taken.isPresent()) {
                return taken.get();
            }
            setState(session, txId, IntentState.PREPARED, "", now);
            session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            hold(session, txId, intent.inputs(), intent.allowance(), now);
            return new Opening.Opened();
        });
    }

    @Override
    public CompletionStage<Transition> accept(Hash256 txId, IntentState before, long now) {
        return store.writePatiently(session -> {
            Transition transition = compare(session, txId, before);
            if (transition instanceof Transition.Made) {
                setState(session, txId, IntentState.ACCEPTED, "", now);
            }
            return transition;
        });
    }

    @Override
    public CompletionStage<Transition> fail(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return store.write(session -> {
            Transition transition = compare(session, txId, before);
            if (transition instanceof Transition.Made) {
                setState(session, txId, outcome, reason, now);
                session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
                session.update("DELETE FROM allowance_uses WHERE intent = ?", (Object) key(txId));
            }
            return transition;
        });
    }

    @Override
    public CompletionStage<Transition> abandon(Hash256 txId, String reason, long now) {
        return store.write(session -> {
            Transition transition = compare(session, txId, IntentState.PREPARED);
            if (transition instanceof Transition.Made) {
                setState(session, txId, IntentState.ABANDONED, reason, now);
            }
            return transition;
        });
    }

    @Override
    public CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now) {
        return store.write(session -> {
            Transition transition = compare(session, txId, before);
            if (transition instanceof Transition.Made) {
                session.update(
                        "UPDATE intents SET changed_at = CASE state WHEN 'CONFIRMED' THEN changed_at ELSE ? END,"
                                + " state = 'CONFIRMED', reason = '', block_height = ?, block_id = ?, buried = 0"
                                + " WHERE tx_id = ?",
                        now,
                        place.height(),
                        key(place.blockId()),
                        key(txId));
                session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            }
            return transition;
        });
    }

    /** Nothing else writes between this and the end of the unit. */
    private static Transition compare(SqlSession session, Hash256 txId, IntentState before) throws SQLException {
        Optional<IntentState> found = state(session, txId);
        return found.filter(before::isStill).isPresent() ? new Transition.Made() : new Transition.Stale(found);
    }

    private static Optional<IntentState> state(SqlSession session, Hash256 txId) throws SQLException {
        return session.queryOne(
                "SELECT state FROM intents WHERE tx_id = ?", row -> IntentState.valueOf(row.getString(1)), (Object)
                        key(txId));
    }

    @Override
    public CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now) {
        return store.write(session -> {
            int changed = session.update(
                    "UPDATE intents SET state = 'ACCEPTED', changed_at = ?, block_height = NULL, block_id = NULL, buried = 0"
                            + " WHERE tx_id = ? AND state = 'CONFIRMED'",
                    now,
                    key(txId));
            if (changed == 0) {
                return new Unconfirmation.NotConfirmed(state(session, txId));
            }
            Intent intent = select(session, txId).orElseThrow();
            reserveFree(session, intent);
            return new Unconfirmation.BackInFlight(intent);
        });
    }

    private static void reserveFree(SqlSession session, Intent intent) throws SQLException {
        for (Coin coin : intent.inputs()) {
            reserve(session, "INSERT OR IGNORE", intent.txId(), coin, intent.changedAt());
        }
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
    public CompletionStage<List<ConfirmedSpend>> unburied() {
        return store.read(session -> session.query(
                "SELECT tx_id, inputs, block_height, block_id FROM intents"
                        + " WHERE state = 'CONFIRMED' AND buried = 0 ORDER BY created_at",
                SqliteSpends::confirmed));
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
    public CompletionStage<List<Intent>> inFlight() {
        return store.read(session -> session.query(
                "SELECT " + COLUMNS + " FROM intents WHERE state IN " + IN_FLIGHT
                        + " OR tx_id IN (SELECT intent FROM reservations) ORDER BY created_at, tx_id",
                SqliteSpends::intent));
    }

    @Override
    public CompletionStage<Optional<Hash256>> openSpendOf(Address address) {
        return store.read(session ->
                session
                        .query("SELECT " + COLUMNS + " FROM intents WHERE state IN " + IN_FLIGHT, SqliteSpends::intent)
                        .stream()
                        .filter(intent -> intent.concerns(address))
                        .map(Intent::txId)
                        .findFirst());
    }

    @Override
    public CompletionStage<Integer> forget(long before, int most) {
        return store.write(session -> {
            List<byte[]> closed = session.query(
                    "SELECT tx_id FROM intents WHERE " + CLOSED + " AND changed_at < ? ORDER BY changed_at LIMIT ?",
                    row -> row.getBytes(1),
                    before,
                    most);
            for (byte[] txId : closed) {
                session.update(
                        "DELETE FROM tokens WHERE token = (SELECT token FROM intents WHERE tx_id = ?1) AND intent = ?1",
                        (Object) txId);
                session.update("DELETE FROM intents WHERE tx_id = ?", (Object) txId);
            }
            return closed.size();
        });
    }

    @Override
    public CompletionStage<Optional<Intent>> find(String token, long closedBefore) {
        return store.read(session -> bound(session, token, closedBefore));
    }

    private static Optional<Intent> bound(SqlSession session, String token, long closedBefore) throws SQLException {
        return session.queryOne(
                "SELECT " + COLUMNS
                        + " FROM intents WHERE tx_id = (SELECT intent FROM tokens WHERE token = ?) AND NOT (" + CLOSED
                        + " AND changed_at < ?)",
                SqliteSpends::intent,
                token,
                closedBefore);
    }

    @Override
    public CompletionStage<List<Reservation>> all() {
        return store.read(session -> session.query(
                "SELECT tx_id, output_index, value, intent FROM reservations", SqliteSpends::reservation));
    }

    private static Reservation reservation(ResultSet row) throws SQLException {
        return new Reservation(
                new Coin(new Outpoint(Hash256.of(row.getBytes(1)), row.getLong(2)), Amount.ofUnsigned(row.getLong(3))),
                Hash256.of(row.getBytes(4)));
    }

    @Override
    public CompletionStage<Transition> end(Hash256 txId, IntentState before) {
        return store.write(session -> {
            Transition transition = compare(session, txId, before);
            if (transition instanceof Transition.Made) {
                session.update("DELETE FROM reservations WHERE intent = ?", (Object) key(txId));
            }
            return transition;
        });
    }

    @Override
    public CompletionStage<Transition> reserveAgain(Hash256 txId) {
        return store.write(session -> {
            Transition transition = compare(session, txId, IntentState.PREPARED);
            if (transition instanceof Transition.Made) {
                reserveFree(session, select(session, txId).orElseThrow());
            }
            return transition;
        });
    }

    @Override
    public CompletionStage<List<Reservation>> abandon(List<Outpoint> outpoints, long now) {
        return store.write(session -> {
            List<Reservation> ended = new ArrayList<>();
            for (Outpoint outpoint : outpoints) {
                Optional<Reservation> held = session.queryOne(
                        "SELECT tx_id, output_index, value, intent FROM reservations WHERE tx_id = ? AND output_index = ?",
                        SqliteSpends::reservation,
                        key(outpoint.txId()),
                        outpoint.index());
                if (held.isPresent()) {
                    ended.add(held.get());
                    end(session, held.get(), now);
                }
            }
            return ended;
        });
    }

    private static void end(SqlSession session, Reservation held, long now) throws SQLException {
        session.update(
                "UPDATE intents SET state = 'ABANDONED', reason = 'abandoned by the operator', changed_at = ?"
                        + " WHERE state IN " + IN_FLIGHT + " AND tx_id = ?",
                now,
                key(held.txId()));
        session.update(
                "DELETE FROM reservations WHERE tx_id = ? AND output_index = ?",
                key(held.coin().outpoint().txId()),
                held.coin().outpoint().index());
    }

    /** Final are the uses of spends that are confirmed or forgotten; all others may be given back. */
    @Override
    public CompletionStage<Spent> spentSince(long since) {
        return store.read(session -> {
            String uses =
                    "SELECT u.intent, u.amount, u.at FROM allowance_uses u LEFT JOIN intents i ON i.tx_id = u.intent"
                            + " WHERE u.at >= ? AND coalesce(i.state, 'CONFIRMED') ";
            List<Use> open = session.query(uses + "<> 'CONFIRMED' ORDER BY u.at", SqliteSpends::use, since);
            SortedMap<Long, BigInteger> minutes = new TreeMap<>();
            for (Use use : session.query(uses + "= 'CONFIRMED'", SqliteSpends::use, minuteOf(since))) {
                minutes.merge(minuteOf(use.at()), use.amount().toBigInteger(), BigInteger::add);
            }
            return new Spent(
                    minutes.entrySet().stream()
                            .map(minute -> new Minute(minute.getKey(), minute.getValue()))
                            .toList(),
                    open);
        });
    }

    private static Use use(ResultSet row) throws SQLException {
        return new Use(Hash256.of(row.getBytes(1)), Amount.ofUnsigned(row.getLong(2)), row.getLong(3));
    }

    private static long minuteOf(long at) {
        return Math.floorDiv(at, MINUTE_MILLIS) * MINUTE_MILLIS;
    }

    @Override
    public CompletionStage<Void> forgetUses(long before) {
        return store.write(session -> {
            session.update("DELETE FROM allowance_uses WHERE at < ?", minuteOf(before));
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
