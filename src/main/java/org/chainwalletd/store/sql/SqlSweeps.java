package org.chainwalletd.store.sql;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.TokenBinding;

/**
 * Stores sweeps in SQL. Whether a part has a spend is derived from the spends alone, by the token of the part, wherever the spend is stored by now;
 * this also covers spends that only {@code sent.log} contained.
 */
public final class SqlSweeps implements SweepStore {
    /** Condition of sweeps that continue automatically. */
    static final String RUNNING = "state = 'RUNNING'";

    private static final int ID_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String RESTORED = "the store was restored since it began";

    private final SqlStore store;
    private final SpendTable spends;
    private final SentLog.Lines log;
    /**
     * Maps each coin that a running sweep has still to spend to the token of the spend that will spend it. Derived from the rows. A part has all its
     * coins in the map or none, so that no two parts ever wait for each other. Changed by the writer together with the rows and rolled back with
     * them; other threads may read it, and may see a change before it is committed.
     */
    private final UndoableMap<Outpoint, String> planned = new UndoableMap<>();

    private volatile boolean any;

    /**
     * Creates the accessor.
     *
     * @param spends table that knows which coins are held by spends
     */
    SqlSweeps(SqlStore store, SpendTable spends, SentLog.Lines log) {
        this.store = store;
        this.spends = spends;
        this.log = log;
    }

    /** Loads from the rows whether there are sweeps, and which coins the running sweeps plan to spend. */
    void load(SqlSession session) throws SQLException {
        this.any = session.number("SELECT max(id) FROM sweeps") > 0;
        planned.removeAll(token -> true);
        for (String token : running(session)) {
            plan(read(session, token).orElseThrow());
        }
        planned.settle();
    }

    /** Returns the map of planned coins, which the writer commits and rolls back together with the rows. */
    GroupCommitWriter.InMemory inMemory() {
        return planned;
    }

    /** Returns whether a part whose spend has a token other than this one plans to spend the coin. Callable from any thread. */
    boolean isPlannedByOther(Outpoint coin, Optional<String> token) {
        return planned.get(coin)
                .filter(part -> !token.equals(Optional.of(part)))
                .isPresent();
    }

    /** Plans the coins of all parts of a sweep that wait for a spend. */
    private void plan(Sweep sweep) {
        sweep.parts().stream().filter(PartState::isWaiting).forEach(state -> plan(sweep.id(), state.part()));
    }

    /**
     * Plans the coins of a part, unless a spend or another part has one of them: the part then waits for that one, and reserves none of its other
     * coins meanwhile.
     */
    private void plan(Hash256 sweep, Part part) {
        boolean free =
                part.coins().stream().noneMatch(each -> isTaken(each.coin().outpoint()));
        if (free) {
            String token = SweepStore.partToken(sweep, part.number());
            part.coins().forEach(each -> planned.put(each.coin().outpoint(), token));
        }
    }

    private void unplan(Hash256 sweep, Part part) {
        String token = SweepStore.partToken(sweep, part.number());
        part.coins().forEach(each -> planned.remove(each.coin().outpoint(), token));
    }

    private boolean isTaken(Outpoint coin) {
        return spends.isHeld(coin) || planned.get(coin).isPresent();
    }

    /** Finds an input of {@code intent} that is planned by a part of a running sweep whose spend has another token. */
    Optional<Opening> plannedByOther(Intent intent) {
        Optional<String> token = intent.token().map(TokenBinding::token);
        return intent.inputs().stream()
                .filter(coin -> isPlannedByOther(coin.outpoint(), token))
                .findFirst()
                .map(coin -> new Opening.CoinTaken(coin, Hash256.ZERO));
    }

    /** Removes the plan of a part whose spend was opened, because the spend itself holds the coins now. */
    void opened(Intent intent) {
        if (intent.kind().equals(KIND)) {
            String token = intent.token().orElseThrow().token();
            intent.inputs().forEach(coin -> planned.remove(coin.outpoint(), token));
        }
    }

    /** Returns whether there may be a sweep. */
    boolean any() {
        return any;
    }

    static boolean has(SqlSession.Finder finder, String clientToken) throws SQLException {
        return finder.find(ofToken(clientToken)).isPresent();
    }

    static SqlSession.Lookup<Boolean> ofToken(String token) {
        return new SqlSession.Lookup<>(token, "SELECT 1 FROM sweeps WHERE client_token = ?", row -> true, token);
    }

    /** Finds the sweep of a token. */
    static Optional<ReceiptStore.Bound.ToSweep> bound(SqlSession session, String token) throws SQLException {
        return session.queryOne(
                "SELECT token_name FROM sweeps WHERE client_token = ?",
                row -> new ReceiptStore.Bound.ToSweep(Optional.ofNullable(row.getString(1))),
                token);
    }

    @Override
    public CompletionStage<Beginning> begin(Order order, Cutter cutter, long now) {
        // Set before the commit, so that tokens are looked up among sweeps before the first sweep is committed.
        any = true;
        return store.writeNew(session -> {
            Optional<Sweep> there = read(session, order.clientToken());
            if (there.isPresent()) {
                return there.get().order().isSame(order)
                        ? new Beginning.Begun(there.get())
                        : new Beginning.Taken(Optional.empty(), there);
            }
            Optional<Hash256> spend = everBound(session::find, order.clientToken());
            if (spend.isPresent()
                    || PayoutTable.has(session::find, order.clientToken())
                    || SqlAccountSends.has(session::find, order.clientToken())) {
                return new Beginning.Taken(spend, Optional.empty());
            }
            List<Part> parts = new ArrayList<>();
            List<Part> cut = cutter.cut(this::isTaken);
            SqlSession.Answers made = session.ask(cut.stream()
                    .map(cutter::txId)
                    .flatMap(txId -> Stream.of(SpendTable.ofTransaction(txId), KeptSpends.any(txId))));
            for (Part part : cut) {
                parts.add(SpendTable.isMade(made, cutter.txId(part)) ? unmade(session, part, cutter) : part);
            }
            if (parts.isEmpty()) {
                return new Beginning.Nothing();
            }
            byte[] id = new byte[ID_BYTES];
            RANDOM.nextBytes(id);
            SentLine.Sweep sweep = new SentLine.Sweep(Hash256.of(id), order, parts, Map.of(), now);
            insert(session, sweep, State.RUNNING, "");
            parts.forEach(part -> plan(sweep.id(), part));
            log.add(sweep);
            return new Beginning.Begun(read(session, order.clientToken()).orElseThrow());
        });
    }

    /** Finds a transaction for the coins of a part that no spend has used yet: two payments never share a transaction. */
    private static Part unmade(SqlSession session, Part first, Cutter cutter) throws SQLException {
        Optional<Part> part = Optional.of(first);
        while (part.isPresent() && SpendTable.isMade(session::find, cutter.txId(part.get()))) {
            part = cutter.otherwise(part.get());
        }
        return part.orElse(first);
    }

    /** Finds a transaction that the token was ever bound to. */
    static Optional<Hash256> everBound(SqlSession.Finder finder, String token) throws SQLException {
        Optional<Hash256> live = finder.find(SpendTable.transactionOf(token));
        return live.isPresent() ? live : KeptSpends.everBound(finder, token);
    }

    private static void insert(SqlSession session, SentLine.Sweep sweep, State state, String reason)
            throws SQLException {
        Order order = sweep.order();
        session.update(
                SqlSession.insertion(
                        "sweeps",
                        "sweep_id, client_token, token_name, digest, from_addresses, to_address, min_value, memo, state,"
                                + " reason, created_at"),
                sweep.id(),
                order.clientToken(),
                order.owner(),
                order.digest(),
                SentLine.Sweep.packAddresses(order.from()),
                order.to(),
                order.minValue(),
                order.memo(),
                state,
                reason,
                sweep.createdAt());
        for (Part part : sweep.parts()) {
            session.deferCombined(
                    List.of(),
                    "INSERT INTO sweep_parts (sweep_id, number, fee, coins, ended) VALUES (?, ?, ?, ?, ?)",
                    sweep.id(),
                    part.number(),
                    part.fee(),
                    SentLine.Sweep.packCoins(part.coins()),
                    Ending.number(Optional.ofNullable(sweep.endings().get(part.number()))));
        }
    }

    /** Visits every sweep as a line of {@code sent.log}, oldest first. */
    static void visit(SqlSession session, SqlSession.Visitor<SentLine> visitor) throws SQLException {
        session.visit(
                "SELECT * FROM sweeps WHERE id > ? ORDER BY id",
                row -> {
                    Sweep sweep = withParts(session, head(row));
                    visitor.visit(new SentLine.Sweep(
                            sweep.id(),
                            sweep.order(),
                            sweep.parts().stream().map(PartState::part).toList(),
                            sweep.parts().stream()
                                    .filter(PartState::ended)
                                    .collect(Collectors.toMap(
                                            state -> state.part().number(),
                                            state -> state.ending().orElseThrow())),
                            sweep.createdAt()));
                },
                0);
    }

    /** Adds a sweep that a restored store lacks. It continues when its caller requests it again. */
    static void enter(SqlSession session, SentLine.Sweep sweep) throws SQLException {
        String token = sweep.order().clientToken();
        if (has(session::find, token)) {
            for (Map.Entry<Integer, Ending> ended : sweep.endings().entrySet()) {
                end(session, sweep.id(), ended.getKey(), ended.getValue());
            }
        } else if (everBound(session::find, token).isEmpty()
                && !PayoutTable.has(session::find, token)
                && !SqlAccountSends.has(session::find, token)) {
            insert(session, sweep, State.STOPPED, RESTORED);
        }
    }

    /** Stops the sweeps of a restored store, because their progress since then is unknown. */
    static void stopAll(SqlSession session) throws SQLException {
        session.update("UPDATE sweeps SET state = ?, reason = ? WHERE " + RUNNING, State.STOPPED, RESTORED);
    }

    static void end(SqlSession session, Hash256 sweep, int part, Ending ending) throws SQLException {
        session.defer(
                "UPDATE sweep_parts SET ended = ? WHERE sweep_id = ? AND number = ?",
                Ending.number(Optional.of(ending)),
                sweep,
                part);
    }

    /** Ends a waiting part, also in the log, and releases its coins. */
    private void end(SqlSession session, Hash256 sweep, PartState part, Ending ending) throws SQLException {
        int number = part.part().number();
        end(session, sweep, number, ending);
        unplan(sweep, part.part());
        log.add(new SentLine.SweepPartEnded(sweep, number, ending));
    }

    /** Returns whether the spend belongs to a part that has ended and therefore must not be opened. */
    static boolean hasEnded(SqlSession session, Intent intent) throws SQLException {
        if (!intent.kind().equals(KIND)) {
            return false;
        }
        String token = intent.token().orElseThrow().token();
        return session.queryOne(
                        "SELECT ended FROM sweep_parts WHERE sweep_id = ? AND number = ?",
                        row -> row.getLong(1),
                        SweepStore.sweepOf(token),
                        Integer.parseInt(token.substring(token.lastIndexOf('-') + 1)))
                .filter(ended -> ended != 0)
                .isPresent();
    }

    /** Finds the owners of the coins of the parts whose spends have these tokens. */
    static <K> Map<K, Set<Address>> payers(SqlSession session, Map<K, String> tokens) throws SQLException {
        SqlSession.Answers coins = session.ask(tokens.values().stream().map(SqlSweeps::coinsOf));
        Map<K, Set<Address>> payers = new LinkedHashMap<>();
        for (Map.Entry<K, String> each : tokens.entrySet()) {
            coins.find(coinsOf(each.getValue())).ifPresent(owners -> payers.put(each.getKey(), owners));
        }
        return payers;
    }

    private static SqlSession.Lookup<Set<Address>> coinsOf(String token) {
        return new SqlSession.Lookup<>(
                token,
                "SELECT coins FROM sweep_parts WHERE sweep_id = ? AND number = ?",
                row -> SentLine.Sweep.unpackCoins(row.raw("coins")).stream()
                        .map(OwnedCoin::owner)
                        .collect(Collectors.toSet()),
                SweepStore.sweepOf(token),
                Long.parseLong(token.substring(token.lastIndexOf('-') + 1)));
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
                        row.addresses("from_addresses"),
                        row.address("to_address"),
                        row.amount("min_value"),
                        row.ifText("memo")),
                State.valueOf(row.text("state")),
                row.text("reason"),
                row.number("created_at"));
    }

    private static Optional<Head> readHead(SqlSession session, String clientToken) throws SQLException {
        return session.queryOne("SELECT * FROM sweeps WHERE client_token = ?", SqlSweeps::head, clientToken);
    }

    private static Optional<Sweep> read(SqlSession session, String clientToken) throws SQLException {
        Optional<Head> head = readHead(session, clientToken);
        return head.isPresent() ? Optional.of(withParts(session, head.get())) : Optional.empty();
    }

    private static Sweep withParts(SqlSession session, Head head) throws SQLException {
        return new Sweep(
                head.id(), head.order(), head.state(), head.reason(), head.createdAt(), parts(session, head.id(), ""));
    }

    /**
     * Reads parts of a sweep in their order.
     *
     * @param and further condition, with its values; empty for all parts
     */
    private static List<PartState> parts(SqlSession session, Hash256 sweep, String and, Object... values)
            throws SQLException {
        List<PartState> unlinked = session.query(
                "SELECT number, fee, coins, ended FROM sweep_parts WHERE sweep_id = ?" + and + " ORDER BY number",
                row -> new PartState(
                        new Part(
                                (int) row.number("number"),
                                row.amount("fee"),
                                SentLine.Sweep.unpackCoins(row.raw("coins"))),
                        Optional.empty(),
                        Ending.of(row.number("ended"))),
                Stream.concat(Stream.of(sweep), Stream.of(values)).toArray());
        List<String> tokens = unlinked.stream()
                .map(each -> SweepStore.partToken(sweep, each.part().number()))
                .toList();
        List<Optional<PartSpend>> spends = spendsOf(session, tokens);
        List<PartState> parts = new ArrayList<>(unlinked.size());
        for (int i = 0; i < unlinked.size(); i++) {
            PartState each = unlinked.get(i);
            parts.add(new PartState(each.part(), spends.get(i), each.ending()));
        }
        return parts;
    }

    /** Finds the spend of each of these tokens. */
    private static List<Optional<PartSpend>> spendsOf(SqlSession session, List<String> tokens) throws SQLException {
        SqlSession.Answers bound = session.ask(tokens.stream()
                .flatMap(token -> Stream.of(
                        SpendTable.ofToken(token, Long.MIN_VALUE),
                        KeptSpends.pastOf(token),
                        KeptSpends.keptTransactionOf(token),
                        KeptSpends.erasedTransactionOf(token))));
        List<Optional<SpendRow>> live = new ArrayList<>(tokens.size());
        for (String token : tokens) {
            live.add(bound.find(SpendTable.ofToken(token, Long.MIN_VALUE)));
        }
        SqlSession.Answers standings =
                session.ask(live.stream().flatMap(Optional::stream).map(row -> SpendTable.standingOf(row.id())));
        List<Optional<PartSpend>> spends = new ArrayList<>(tokens.size());
        for (int i = 0; i < tokens.size(); i++) {
            spends.add(
                    live.get(i).isPresent()
                            ? Optional.of(ofLive(standings, live.get(i).get()))
                            : ofKept(bound, tokens.get(i)));
        }
        return spends;
    }

    private static PartSpend ofLive(SqlSession.Finder standings, SpendRow row) throws SQLException {
        Intent intent = row.intent();
        boolean conflicted = intent.state() == IntentState.CONFLICTED;
        boolean confirmed = intent.state() == IntentState.CONFIRMED;
        Optional<SpendTable.Standing> standing =
                conflicted || confirmed ? standings.find(SpendTable.standingOf(row.id())) : Optional.empty();
        // A refused spend may be lost for good because it was never sent: its coins may be free.
        boolean closed =
                conflicted && standing.filter(SpendTable.Standing::lostForGood).isPresent();
        OptionalLong height = confirmed && standing.isPresent() ? standing.get().blockHeight() : OptionalLong.empty();
        return new PartSpend(intent.txId(), Optional.of(intent.state()), closed, intent.reason(), height);
    }

    private static Optional<PartSpend> ofKept(SqlSession.Finder bound, String token) throws SQLException {
        Optional<SpendHistory.PastSpend> kept = KeptSpends.ofToken(bound, token);
        if (kept.isPresent()) {
            return kept.map(
                    past -> new PartSpend(past.txId(), Optional.of(past.state()), true, "", past.blockHeight()));
        }
        return KeptSpends.everBound(bound, token)
                .map(txId -> new PartSpend(txId, Optional.empty(), true, "", OptionalLong.empty()));
    }

    @Override
    public CompletionStage<Optional<Sweep>> find(String clientToken) {
        return store.read(session -> read(session, clientToken));
    }

    @Override
    public CompletionStage<List<String>> running() {
        return store.read(SqlSweeps::running);
    }

    private static List<String> running(SqlSession session) throws SQLException {
        return session.query(
                "SELECT client_token FROM sweeps WHERE " + RUNNING + " ORDER BY id", row -> row.text("client_token"));
    }

    @Override
    public CompletionStage<Void> move(String clientToken, State before, State after, String reason) {
        return store.write(session -> {
            // A stopped sweep is resumed by its caller at any daemon; a running one is changed only by the
            // daemon that does the background work.
            if (before == State.RUNNING) {
                store.requireKeeper();
            }
            int moved = session.update(
                    "UPDATE sweeps SET state = ?, reason = ? WHERE client_token = ? AND state = ?",
                    after,
                    reason,
                    clientToken,
                    before);
            if (moved > 0) {
                Sweep sweep = read(session, clientToken).orElseThrow();
                sweep.parts().forEach(state -> unplan(sweep.id(), state.part()));
                if (after == State.RUNNING) {
                    plan(sweep);
                }
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Void> endUnopened(String clientToken, int part) {
        return store.write(session -> {
            store.requireKeeper();
            Optional<Head> head = readHead(session, clientToken);
            List<PartState> waiting = head.isEmpty()
                    ? List.of()
                    : parts(session, head.get().id(), " AND number = ?", part).stream()
                            .filter(PartState::isWaiting)
                            .toList();
            for (PartState each : waiting) {
                end(session, head.get().id(), each, Ending.LOST);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<Sweep>> stop(String clientToken) {
        return store.write(session -> {
            Optional<Sweep> sweep = read(session, clientToken);
            if (sweep.isEmpty() || sweep.get().state() == State.DONE) {
                return sweep;
            }
            for (PartState part : sweep.get().parts()) {
                if (part.isWaiting()) {
                    end(session, sweep.get().id(), part, Ending.STOPPED);
                }
            }
            session.update("UPDATE sweeps SET state = ?, reason = '' WHERE client_token = ?", State.DONE, clientToken);
            return read(session, clientToken);
        });
    }

    @Override
    public CompletionStage<Optional<String>> unfinishedFrom(Address address) {
        return store.read(session -> unfinishedFrom(session, address));
    }

    public static Optional<String> unfinishedFrom(SqlSession session, Address address) throws SQLException {
        Set<String> tokens = new LinkedHashSet<>(running(session));
        List<String> open = session.query(
                "SELECT token FROM spends WHERE " + SpendTable.OPEN + " AND kind = '" + KIND + "'",
                row -> row.text("token"));
        for (String partToken : open) {
            session.queryOne(
                            "SELECT client_token FROM sweeps WHERE sweep_id = ?",
                            row -> row.text("client_token"),
                            SweepStore.sweepOf(partToken))
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
    }
}
