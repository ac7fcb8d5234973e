package org.chainwalletd.store;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * Keeps sweeps in SQL. Whether a part has a spend is derived from the spends alone, by the token of the part, wherever the spend is kept by now;
 * this also holds for spends that only {@code sent.log} contained.
 */
final class SqlSweeps implements SweepStore {
    /** Condition of sweeps that continue by themselves. */
    static final String RUNNING = "state = 'RUNNING'";

    private static final int ID_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String RESTORED = "the store was restored since it began";

    private final SqlStore store;
    private final SentLog.Lines log;
    private volatile boolean any;

    SqlSweeps(SqlStore store, SentLog.Lines log) {
        this.store = store;
        this.log = log;
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
            if (spend.isPresent()
                    || PayoutTable.has(session, order.clientToken())
                    || SqlAccountSends.has(session, order.clientToken())) {
                return new Beginning.Taken(spend, Optional.empty());
            }
            if (parts.isEmpty()) {
                return new Beginning.Nothing();
            }
            Set<Outpoint> planned = planned(session);
            boolean overtaken = parts.stream()
                    .flatMap(part -> part.coins().stream())
                    .anyMatch(each -> planned.contains(each.coin().outpoint()));
            if (overtaken) {
                return new Beginning.Overtaken();
            }
            byte[] id = new byte[ID_BYTES];
            RANDOM.nextBytes(id);
            SentLine.Sweep sweep = new SentLine.Sweep(Hash256.of(id), order, parts, Set.of(), now);
            insert(session, sweep, State.RUNNING, "");
            log.add(sweep);
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

    private static void insert(SqlSession session, SentLine.Sweep sweep, State state, String reason)
            throws SQLException {
        Order order = sweep.order();
        byte[] id = sweep.id().toArray();
        session.update(
                "INSERT INTO sweeps (sweep_id, client_token, token_name, digest, from_addresses, to_address, min_value,"
                        + " memo, state, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                id,
                order.clientToken(),
                order.owner().orElse(null),
                order.digest().toArray(),
                SentLine.Sweep.packAddresses(order.from()),
                order.to().toArray(),
                order.minValue().bits(),
                order.memo().orElse(null),
                state.name(),
                reason,
                sweep.createdAt());
        for (Part part : sweep.parts()) {
            session.update(
                    "INSERT INTO sweep_parts (sweep_id, number, fee, coins, ended) VALUES (?, ?, ?, ?, ?)",
                    id,
                    part.number(),
                    part.fee().bits(),
                    SentLine.Sweep.packCoins(part.coins()),
                    sweep.ended().contains(part.number()) ? 1 : 0);
        }
    }

    /** Visits every sweep as a line of {@code sent.log}, oldest first. */
    static void visit(SqlSession session, LineVisitor visitor) throws SQLException {
        session.visit(
                "SELECT * FROM sweeps WHERE id > ? ORDER BY id",
                row -> {
                    Sweep sweep = withParts(session, head(row));
                    visitor.line(new SentLine.Sweep(
                            sweep.id(),
                            sweep.order(),
                            sweep.parts().stream().map(PartState::part).toList(),
                            sweep.parts().stream()
                                    .filter(PartState::ended)
                                    .map(state -> state.part().number())
                                    .collect(Collectors.toSet()),
                            sweep.createdAt()));
                },
                0);
    }

    /** Takes a line of {@code sent.log}. */
    @FunctionalInterface
    interface LineVisitor {
        void line(SentLine line) throws SQLException;
    }

    /** Enters a sweep that a restored store lacks. It continues when its caller asks for it again. */
    static void enter(SqlSession session, SentLine.Sweep sweep) throws SQLException {
        String token = sweep.order().clientToken();
        if (has(session, token)) {
            for (int part : sweep.ended()) {
                end(session, sweep.id(), part);
            }
        } else if (everBound(session, token).isEmpty() && !PayoutTable.has(session, token)) {
            insert(session, sweep, State.STOPPED, RESTORED);
        }
    }

    /** Stops the sweeps of a restored store: how far they got since is not known. */
    static void stopAll(SqlSession session) throws SQLException {
        session.update("UPDATE sweeps SET state = ?, reason = ? WHERE " + RUNNING, State.STOPPED.name(), RESTORED);
    }

    static void end(SqlSession session, Hash256 sweep, int part) throws SQLException {
        session.update("UPDATE sweep_parts SET ended = 1 WHERE sweep_id = ? AND number = ?", sweep.toArray(), part);
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
                        SentLine.Sweep.unpackAddresses(row.raw("from_addresses")),
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
                        new Part(
                                (int) row.number("number"),
                                row.amount("fee"),
                                SentLine.Sweep.unpackCoins(row.raw("coins"))),
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
            // A spend that was refused before it was sent counts as lost for good too, but its coins may be free.
            boolean closed = intent.state() == IntentState.CONFLICTED && SpendTable.isLostForGood(session, live.get());
            return Optional.of(new PartSpend(
                    intent.txId(), Optional.of(intent.state()), closed, intent.reason(), heightOf(session, intent)));
        }
        Optional<SpendHistory.PastSpend> kept = KeptSpends.ofToken(session, token);
        if (kept.isPresent()) {
            return kept.map(
                    past -> new PartSpend(past.txId(), Optional.of(past.state()), true, "", past.blockHeight()));
        }
        return KeptSpends.everBound(session, token)
                .map(txId -> new PartSpend(txId, Optional.empty(), true, "", OptionalLong.empty()));
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
        return store.read(SqlSweeps::running);
    }

    @Override
    public CompletionStage<Set<Outpoint>> planned() {
        return store.read(SqlSweeps::planned);
    }

    private static Set<Outpoint> planned(SqlSession session) throws SQLException {
        Set<Outpoint> planned = new HashSet<>();
        for (String token : running(session)) {
            read(session, token).orElseThrow().parts().stream()
                    .filter(PartState::isWaiting)
                    .flatMap(state -> state.part().coins().stream())
                    .forEach(each -> planned.add(each.coin().outpoint()));
        }
        return planned;
    }

    private static List<String> running(SqlSession session) throws SQLException {
        return session.query(
                "SELECT client_token FROM sweeps WHERE " + RUNNING + " ORDER BY id", row -> row.text("client_token"));
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
                end(session, sweep.get().id(), part);
                log.add(new SentLine.SweepPartEnded(sweep.get().id(), part));
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<String>> unfinishedFrom(Address address) {
        return store.read(session -> {
            Set<String> tokens = new LinkedHashSet<>(running(session));
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
