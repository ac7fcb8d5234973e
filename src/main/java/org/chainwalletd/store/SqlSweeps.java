package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * Keeps sweeps in SQL. Whether a part has a spend is derived from the spends alone, by the token of the part, wherever the spend is kept by now;
 * this also holds for spends that only {@code sent.log} contained.
 */
final class SqlSweeps implements SweepStore {
    /** Condition of sweeps that continue by themselves. */
    static final String RUNNING = "state = 'RUNNING'";

    private static final int ADDRESS = 32;
    private static final int COIN = ADDRESS + 32 + Integer.BYTES + Long.BYTES;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SqlStore store;
    private volatile boolean any;

    SqlSweeps(SqlStore store) {
        this.store = store;
    }

    /** Reads whether there are sweeps. */
    void takeUp(SqlSession session) throws SQLException {
        this.any = session.queryOne("SELECT max(id) FROM sweeps", row -> row.getLong(1))
                        .orElse(0L)
                > 0;
    }

    /** Tells whether there may be a sweep. */
    boolean any() {
        return any;
    }

    static boolean has(SqlSession session, String clientToken) throws SQLException {
        return session.find(ofToken(clientToken)).isPresent();
    }

    static SqlSession.Lookup<Boolean> ofToken(String token) {
        return new SqlSession.Lookup<>(token, "SELECT 1 FROM sweeps WHERE client_token = ?", row -> true, token);
    }

    @Override
    public CompletionStage<Beginning> begin(Order order, List<Part> parts, long now) {
        // Set before the commit, so that tokens are looked up among sweeps as soon as one can be that of a sweep.
        any = true;
        return store.writeNew(session -> {
            Optional<Sweep> there = read(session, order.clientToken());
            if (there.isPresent()) {
                return there.get().order().isSame(order)
                        ? new Beginning.Begun(there.get())
                        : new Beginning.Taken(Optional.empty(), there);
            }
            Optional<Hash256> spend = everBound(session, order.clientToken());
            if (spend.isPresent() || PayoutTable.has(session, order.clientToken())) {
                return new Beginning.Taken(spend, Optional.empty());
            }
            if (parts.isEmpty()) {
                return new Beginning.Nothing();
            }
            insert(session, order, parts, now);
            return new Beginning.Begun(read(session, order.clientToken()).orElseThrow());
        });
    }

    /** Finds a transaction that the token was ever bound to. */
    static Optional<Hash256> everBound(SqlSession session, String token) throws SQLException {
        Optional<Hash256> live = session.queryOne(
                "SELECT tx_id FROM spends WHERE token_key = ? AND token = ?",
                SpendTable::txId,
                SpendTable.tokenKey(token),
                token);
        return live.isPresent() ? live : KeptSpends.everBound(session, token);
    }

    private static void insert(SqlSession session, Order order, List<Part> parts, long now) throws SQLException {
        byte[] id = new byte[ADDRESS];
        RANDOM.nextBytes(id);
        ByteBuffer from = ByteBuffer.allocate(order.from().size() * ADDRESS);
        order.from().forEach(address -> from.put(address.toArray()));
        session.update(
                "INSERT INTO sweeps (sweep_id, client_token, token_name, digest, from_addresses, to_address, min_value,"
                        + " memo, state, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                id,
                order.clientToken(),
                order.owner().orElse(null),
                order.digest().toArray(),
                from.array(),
                order.to().toArray(),
                order.minValue().bits(),
                order.memo().orElse(null),
                State.RUNNING.name(),
                "",
                now);
        for (Part part : parts) {
            session.update(
                    "INSERT INTO sweep_parts (sweep_id, number, fee, coins, ended) VALUES (?, ?, ?, ?, 0)",
                    id,
                    part.number(),
                    part.fee().bits(),
                    pack(part.coins()));
        }
    }

    private static byte[] pack(List<OwnedCoin> coins) {
        ByteBuffer packed = ByteBuffer.allocate(coins.size() * COIN);
        for (OwnedCoin each : coins) {
            packed.put(each.owner().toArray())
                    .put(each.coin().outpoint().txId().toArray())
                    .putInt((int) each.coin().outpoint().index())
                    .putLong(each.coin().value().bits());
        }
        return packed.array();
    }

    private static List<OwnedCoin> unpackCoins(byte[] packed) {
        ByteBuffer in = ByteBuffer.wrap(packed);
        List<OwnedCoin> coins = new ArrayList<>(packed.length / COIN);
        while (in.hasRemaining()) {
            Address owner = Address.of(take(in));
            Outpoint outpoint = new Outpoint(Hash256.of(take(in)), Integer.toUnsignedLong(in.getInt()));
            coins.add(new OwnedCoin(owner, new Coin(outpoint, Amount.ofUnsigned(in.getLong()))));
        }
        return coins;
    }

    private static List<Address> unpackAddresses(byte[] packed) {
        ByteBuffer in = ByteBuffer.wrap(packed);
        List<Address> addresses = new ArrayList<>(packed.length / ADDRESS);
        while (in.hasRemaining()) {
            addresses.add(Address.of(take(in)));
        }
        return addresses;
    }

    private static byte[] take(ByteBuffer in) {
        byte[] bytes = new byte[ADDRESS];
        in.get(bytes);
        return bytes;
    }

    /** Row of the table {@code sweeps}. */
    private record Head(Hash256 id, Order order, State state, String reason, long createdAt) {}

    private static Head head(Row row) throws SQLException {
        return new Head(
                row.hash("sweep_id"),
                new Order(
                        row.text("client_token"),
                        row.ifText("token_name"),
                        row.hash("digest"),
                        unpackAddresses(row.raw("from_addresses")),
                        row.address("to_address"),
                        row.amount("min_value"),
                        row.ifText("memo")),
                State.valueOf(row.text("state")),
                row.text("reason"),
                row.number("created_at"));
    }

    private static Optional<Sweep> read(SqlSession session, String clientToken) throws SQLException {
        Optional<Head> head =
                session.queryOne("SELECT * FROM sweeps WHERE client_token = ?", SqlSweeps::head, clientToken);
        return head.isPresent() ? Optional.of(withParts(session, head.get())) : Optional.empty();
    }

    private static Sweep withParts(SqlSession session, Head head) throws SQLException {
        List<PartState> unlinked = session.query(
                "SELECT number, fee, coins, ended FROM sweep_parts WHERE sweep_id = ? ORDER BY number",
                row -> new PartState(
                        new Part((int) row.number("number"), row.amount("fee"), unpackCoins(row.raw("coins"))),
                        Optional.empty(),
                        row.number("ended") != 0),
                (Object) head.id().toArray());
        List<PartState> parts = new ArrayList<>(unlinked.size());
        for (PartState each : unlinked) {
            String token = SweepStore.partToken(head.id(), each.part().number());
            parts.add(new PartState(each.part(), spendOf(session, token), each.ended()));
        }
        return new Sweep(head.id(), head.order(), head.state(), head.reason(), head.createdAt(), parts);
    }

    private static Optional<PartSpend> spendOf(SqlSession session, String token) throws SQLException {
        Optional<SpendRow> live = SpendTable.bound(session, token, Long.MIN_VALUE);
        if (live.isPresent()) {
            Intent intent = live.get().intent();
            boolean lost = intent.state().failed() && SpendTable.isLostForGood(session, live.get());
            return Optional.of(new PartSpend(
                    intent.txId(), Optional.of(intent.state()), lost, intent.reason(), heightOf(session, intent)));
        }
        return KeptSpends.everBound(session, token)
                .map(txId -> new PartSpend(txId, Optional.empty(), false, "", OptionalLong.empty()));
    }

    private static OptionalLong heightOf(SqlSession session, Intent intent) throws SQLException {
        if (intent.state() != IntentState.CONFIRMED) {
            return OptionalLong.empty();
        }
        byte[] id = intent.txId().toArray();
        return session.queryOne(
                        "SELECT block_height FROM spends WHERE short_id = ? AND tx_id = ?",
                        row -> row.ifNumber("block_height"),
                        SpendRow.shortId(id),
                        id)
                .orElseGet(OptionalLong::empty);
    }

    @Override
    public CompletionStage<Optional<Sweep>> find(String clientToken) {
        return store.read(session -> read(session, clientToken));
    }

    @Override
    public CompletionStage<List<String>> running() {
        return store.read(session -> session.query(
                "SELECT client_token FROM sweeps WHERE " + RUNNING + " ORDER BY id", row -> row.text("client_token")));
    }

    @Override
    public CompletionStage<Void> move(String clientToken, State before, State after, String reason) {
        return store.write(session -> {
            session.update(
                    "UPDATE sweeps SET state = ?, reason = ? WHERE client_token = ? AND state = ?",
                    after.name(),
                    reason,
                    clientToken,
                    before.name());
            return null;
        });
    }

    @Override
    public CompletionStage<Void> endUnopened(String clientToken, int part) {
        return store.write(session -> {
            Optional<Sweep> sweep = read(session, clientToken);
            if (sweep.isPresent() && sweep.get().parts().get(part).isWaiting()) {
                session.update(
                        "UPDATE sweep_parts SET ended = 1 WHERE sweep_id = ? AND number = ?",
                        sweep.get().id().toArray(),
                        part);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<String>> unfinishedFrom(Address address) {
        return store.read(session -> {
            Set<String> tokens = new LinkedHashSet<>(
                    session.query("SELECT client_token FROM sweeps WHERE " + RUNNING, row -> row.text("client_token")));
            List<String> open = session.query(
                    "SELECT token FROM spends WHERE " + SpendTable.OPEN + " AND kind = '" + KIND + "'",
                    row -> row.text("token"));
            for (String partToken : open) {
                byte[] id = SweepStore.sweepOf(partToken).toArray();
                session.queryOne(
                                "SELECT client_token FROM sweeps WHERE sweep_id = ?",
                                row -> row.text("client_token"),
                                (Object) id)
                        .ifPresent(tokens::add);
            }
            for (String token : tokens) {
                boolean needed = read(session, token).orElseThrow().parts().stream()
                        .filter(PartState::isUnfinished)
                        .flatMap(state -> state.part().coins().stream())
                        .anyMatch(coin -> coin.owner().equals(address));
                if (needed) {
                    return Optional.of(token);
                }
            }
            return Optional.empty();
        });
    }
}
