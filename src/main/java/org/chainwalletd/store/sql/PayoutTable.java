package org.chainwalletd.store.sql;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Tables of payouts. Changes are numbered in commit order; when a spend changes, the payouts that it carries change in the same commit. Written only
 * by the writer thread; static methods are also used by readers.
 */
public final class PayoutTable implements GroupCommitWriter.InMemory {
    /** Condition of payouts that no spend carries and that may still be paid. */
    static final String WAITING = "(spend IS NULL AND mark <> 'CANCELLED')";

    /**
     * {@link #WAITING} for queries that name the table p. A partial index with this condition is used only if the query repeats it word for word.
     */
    static final String WAITING_OF_P = "(p.spend IS NULL AND p.mark <> 'CANCELLED')";

    /** Condition of batches whose payouts are not final. */
    static final String OPEN_BATCH = "(kind = '" + StandIns.PAYOUT_BATCH
            + "' AND NOT (state = 'CONFIRMED' AND buried = 1) AND state <> 'CONFLICTED')";

    /** Maximum number of queued payouts examined in one transaction. */
    private static final int CHUNK_ROWS = 10_000;

    static final String QUEUED = "QUEUED";
    static final String HELD = "HELD";
    static final String CANCELLED = "CANCELLED";

    private static final String SELECT =
            "SELECT p.id, p.payout_id, p.to_address, p.amount, p.datum, p.memo, p.token_name, p.mark, p.spend, p.output_index,"
                    + " p.submitted_at, p.changed_at, p.change, f.addresses, q.generation, s.state, s.buried, s.block_height"
                    + " FROM payouts p JOIN payout_sources f ON f.id = p.source JOIN payout_queue q ON q.one = 1"
                    + " LEFT JOIN spends s ON s.id = p.spend WHERE ";

    private final SentLog.Lines log;
    /** Number of the last payout. Written only by the writer, read by any thread that checks whether there are payouts. */
    private volatile long lastId;

    private long lastChange;
    /** Number of unfinished payouts; empty when it must be counted again. */
    private OptionalLong unfinished = OptionalLong.empty();
    /** Number of changes in the commit being prepared. */
    private int pending;

    private volatile Runnable listener = () -> {};
    private volatile Predicate<String> ended = name -> false;

    PayoutTable(SentLog.Lines log) {
        this.log = log;
    }

    /** Returns whether there has ever been a payout. */
    boolean any() {
        return lastId > 0;
    }

    void load(SqlSession session) throws SQLException {
        lastId = session.number("SELECT coalesce(max(id), 0) FROM payouts");
        lastChange = lastChange(session);
    }

    static long lastChange(SqlSession session) throws SQLException {
        return session.number("SELECT coalesce(max(change), 0) FROM payouts");
    }

    /** Reloads the in-memory state after other processes have changed payouts; their rows change with the spends that carry them. */
    void reload(SqlSession session) throws SQLException {
        load(session);
        unfinished = OptionalLong.empty();
        listener.run();
    }

    void whenChanged(Runnable callback) {
        listener = callback;
    }

    void endedTokens(Predicate<String> judge) {
        ended = judge;
    }

    boolean hasEnded(Optional<String> owner) {
        return ended.test(owner.orElse(PayoutStore.CLASSIC));
    }

    /** Returns whether the payout's token has ended and the payout was not released since. */
    boolean mustBeHeld(Standing payout) {
        return !payout.released() && hasEnded(payout.owner());
    }

    @Override
    public int mark() {
        return pending;
    }

    @Override
    public void undoTo(int mark) {
        pending = mark;
        unfinished = OptionalLong.empty();
    }

    @Override
    public void settle() {
        if (pending > 0) {
            pending = 0;
            listener.run();
        }
    }

    private long nextChange() {
        pending++;
        return ++lastChange;
    }

    /** Columns of a payout that decide which operations are permitted. */
    record Standing(
            long id,
            Order order,
            Optional<String> owner,
            List<Address> from,
            String mark,
            OptionalLong spend,
            boolean released,
            long at) {
        boolean isWaiting() {
            return spend.isEmpty() && !mark.equals(CANCELLED);
        }

        boolean isQueued() {
            return spend.isEmpty() && mark.equals(QUEUED);
        }
    }

    private static final String STANDING_COLUMNS =
            "SELECT p.id, p.payout_id, p.to_address, p.amount, p.datum, p.memo, p.token_name, p.mark, p.spend, p.released, p.submitted_at,"
                    + " f.addresses";
    private static final String STANDING =
            STANDING_COLUMNS + " FROM payouts p JOIN payout_sources f ON f.id = p.source WHERE ";

    private static Standing standing(Row row) throws SQLException {
        return new Standing(
                row.number("id"),
                order(row),
                row.ifText("token_name"),
                row.addresses("addresses"),
                row.text("mark"),
                row.ifNumber("spend"),
                row.number("released") != 0,
                row.number("submitted_at"));
    }

    private static Order order(Row row) throws SQLException {
        return new Order(
                row.text("payout_id"),
                row.address("to_address"),
                row.amount("amount"),
                row.ifBytes("datum"),
                row.ifText("memo"));
    }

    static SqlSession.Lookup<Standing> standingOf(String payoutId) {
        return new SqlSession.Lookup<>(payoutId, STANDING + "p.payout_id = ?", PayoutTable::standing, payoutId);
    }

    private static SqlSession.Lookup<Standing> standingOf(long id) {
        return new SqlSession.Lookup<>(id, STANDING + "p.id = ?", PayoutTable::standing, id);
    }

    static boolean has(SqlSession.Finder finder, String payoutId) throws SQLException {
        return finder.find(ofToken(payoutId)).isPresent();
    }

    static SqlSession.Lookup<Boolean> ofToken(String token) {
        return new SqlSession.Lookup<>(token, "SELECT 1 FROM payouts WHERE payout_id = ?", row -> true, token);
    }

    /** Finds the payout with this token as its id, and the transaction that carries it or carried it last. */
    static Optional<ReceiptStore.Bound.ToPayout> bound(SqlSession session, String token) throws SQLException {
        return session.queryOne(
                "SELECT p.token_name, s.tx_id FROM payouts p LEFT JOIN spends s ON s.id ="
                        + " coalesce(p.spend, (SELECT max(spend) FROM payout_attempts WHERE payout = p.id))"
                        + " WHERE p.payout_id = ?",
                row -> new ReceiptStore.Bound.ToPayout(
                        row.ifText("token_name"), row.ifBytes("tx_id").map(id -> Hash256.of(id.toArray()))),
                token);
    }

    static long source(SqlSession session, List<Address> from) throws SQLException {
        byte[] packed = SentLine.Sweep.packAddresses(from);
        OptionalLong there = sourceOf(session, packed);
        if (there.isPresent()) {
            return there.getAsLong();
        }
        session.update("INSERT INTO payout_sources (addresses) VALUES (?)", (Object) packed);
        return sourceOf(session, packed).orElseThrow();
    }

    private static OptionalLong sourceOf(SqlSession session, byte[] packed) throws SQLException {
        return session.ifNumber("SELECT id FROM payout_sources WHERE addresses = ?", (Object) packed);
    }

    long insert(SqlSession session, Order order, long source, Optional<String> owner, String mark, long now)
            throws SQLException {
        long id = lastId + 1;
        lastId = id;
        session.deferCombined(
                List.of(order.payoutId()),
                SqlSession.insertion(
                        "payouts",
                        "id, payout_id, to_address, amount, datum, memo, source, token_name, mark, submitted_at, changed_at,"
                                + " change"),
                id,
                order.payoutId(),
                order.to(),
                order.amount(),
                order.datum(),
                order.memo(),
                source,
                owner,
                mark,
                now,
                now,
                nextChange());
        if (unfinished.isPresent()) {
            unfinished = OptionalLong.of(unfinished.getAsLong() + 1);
        }
        return id;
    }

    /** Logs payouts that were inserted. */
    void submitted(List<Order> orders, List<Address> from, Optional<String> owner, long now) {
        log.add(new SentLine.Submitted(
                from,
                owner,
                orders.stream()
                        .map(order -> new SentLine.Submitted.Item(order, now))
                        .toList()));
    }

    void cancel(SqlSession session, Standing payout, long now) throws SQLException {
        set(session, payout.id(), "mark = 'CANCELLED'", now);
        log.add(cancelled(payout));
    }

    private void set(SqlSession session, long id, String columns, long now) throws SQLException {
        session.deferCombined(
                List.of(),
                "UPDATE payouts SET " + columns + ", changed_at = ?, change = ? WHERE id = ?",
                now,
                nextChange(),
                id);
        unfinished = OptionalLong.empty();
    }

    /** Queues a held payout; from then on it does not matter whether its token has ended. */
    void release(SqlSession session, Standing payout, long now) throws SQLException {
        set(session, payout.id(), "mark = 'QUEUED', released = 1", now);
    }

    /**
     * Part of the queue in which payouts of ended tokens were held.
     *
     * @param held number of payouts that were held
     * @param last number of the last payout examined; empty when no more are queued
     */
    record Chunk(int held, OptionalLong last) {}

    /** Holds queued payouts of ended tokens, examining the next payouts after a number. */
    Chunk holdEnded(SqlSession session, Set<String> owners, long after, long now) throws SQLException {
        record Queued(long id, Optional<String> owner, boolean released) {}
        List<Queued> queued = session.query(
                "SELECT id, token_name, released FROM payouts WHERE " + WAITING
                        + " AND mark = 'QUEUED' AND id > ? ORDER BY id LIMIT ?",
                row -> new Queued(row.number("id"), row.ifText("token_name"), row.number("released") != 0),
                after,
                CHUNK_ROWS);
        int held = 0;
        for (Queued payout : queued) {
            boolean named = owners.contains(payout.owner().orElse(PayoutStore.CLASSIC));
            if (named && !payout.released() && hasEnded(payout.owner())) {
                set(session, payout.id(), "mark = 'HELD'", now);
                held++;
            }
            if (held == PayoutStore.MOST_AT_ONCE) {
                return new Chunk(held, OptionalLong.of(payout.id()));
            }
        }
        return new Chunk(
                held,
                queued.size() < CHUNK_ROWS
                        ? OptionalLong.empty()
                        : OptionalLong.of(queued.get(queued.size() - 1).id()));
    }

    private static SentLine.Cancelled cancelled(Standing payout) {
        return new SentLine.Cancelled(
                payout.order().payoutId(),
                payout.order().to(),
                payout.order().amount(),
                payout.order().datum(),
                payout.owner(),
                payout.at(),
                payout.from());
    }

    long unfinished(SqlSession session) throws SQLException {
        if (unfinished.isEmpty()) {
            unfinished = OptionalLong.of(countUnfinished(session));
        }
        return unfinished.getAsLong();
    }

    /** Counts the payouts that are queued or held. */
    static long countWaiting(SqlSession session) throws SQLException {
        return session.number("SELECT count(*) FROM payouts INDEXED BY payouts_waiting WHERE " + WAITING);
    }

    static long countUnfinished(SqlSession session) throws SQLException {
        long waiting = countWaiting(session);
        long carried = session.number(
                "SELECT count(*) FROM spends s INDEXED BY spends_batches JOIN payouts p ON p.spend = s.id WHERE "
                        + OPEN_BATCH.replace("kind", "s.kind"));
        return waiting + carried;
    }

    static boolean isPaused(SqlSession session) throws SQLException {
        return session.queryOne("SELECT paused FROM payout_queue WHERE one = 1", row -> row.getLong(1) != 0)
                .orElse(false);
    }

    void pause(SqlSession session, boolean paused) throws SQLException {
        session.update("UPDATE payout_queue SET paused = ? WHERE one = 1", paused ? 1 : 0);
        pending++;
    }

    /** Returns these payouts if a batch may carry all of them now and its outputs pay them. */
    Optional<List<Standing>> carriable(SqlSession session, Intent batch, List<Long> payouts) throws SQLException {
        if (isPaused(session) || payouts.isEmpty()) {
            return Optional.empty();
        }
        List<TxOutput> outputs =
                TransactionCodec.decode(batch.transaction().toArray()).outputs();
        long distinct = payouts.stream().distinct().count();
        if (payouts.size() > outputs.size() || distinct != payouts.size()) {
            return Optional.empty();
        }
        List<SqlSession.Lookup<Standing>> lookups =
                payouts.stream().map(PayoutTable::standingOf).toList();
        SqlSession.Answers found = session.ask(lookups.stream());
        List<Standing> carriable = new ArrayList<>(lookups.size());
        for (int i = 0; i < lookups.size(); i++) {
            Optional<Standing> payout = found.find(lookups.get(i));
            boolean pays = payout.filter(Standing::isQueued)
                    .filter(queued -> !mustBeHeld(queued))
                    .filter(queued -> queued.from().contains(batch.from()))
                    .map(queued -> queued.order().output())
                    .filter(outputs.get(i)::equals)
                    .isPresent();
            if (!pays) {
                return Optional.empty();
            }
            carriable.add(payout.get());
        }
        return Optional.of(carriable);
    }

    /** Assigns payouts to the spend that carries them: output i pays the payout at index i of the list. */
    void carry(SqlSession session, Intent batch, long spend, List<Standing> payouts, long now) throws SQLException {
        long change = nextChange();
        List<SentLine.Carried.Item> items = new ArrayList<>(payouts.size());
        for (int i = 0; i < payouts.size(); i++) {
            Standing payout = payouts.get(i);
            session.deferCombined(
                    List.of(),
                    "UPDATE payouts SET spend = ?, output_index = ?, changed_at = ?, change = ? WHERE id = ?",
                    spend,
                    i,
                    now,
                    change,
                    payout.id());
            items.add(item(payout, i));
        }
        unfinished = OptionalLong.empty();
        log.add(new SentLine.Carried(batch.txId(), items));
        CrashPoint.PAYOUTS_IN_OPEN.reached();
    }

    private static SentLine.Carried.Item item(Standing payout, int index) {
        return new SentLine.Carried.Item(
                payout.order().payoutId(), digest(payout.order().output()), index, payout.owner(), payout.at());
    }

    /** Returns a digest of the payment that a payout makes. */
    static Hash256 digest(TxOutput output) {
        byte[] script = output.script().toArray();
        byte[] datum = output.datum() == null ? new byte[0] : output.datum().toArray();
        return Hash256.sha256(ByteBuffer.allocate(Long.BYTES + 1 + script.length + datum.length)
                .putLong(output.value().bits())
                .put((byte) (output.datum() == null ? 0 : 1))
                .put(script)
                .put(datum)
                .array());
    }

    /** Marks the payouts of a batch as changed, because the spend that carries them has changed. */
    void followed(SqlSession session, SpendRow row, long now) throws SQLException {
        if (row.intent().kind().equals(StandIns.PAYOUT_BATCH)) {
            session.update(
                    "UPDATE payouts SET changed_at = ?, change = ? WHERE spend = ?", now, nextChange(), row.id());
            unfinished = OptionalLong.empty();
        }
    }

    /** Releases the payouts of a spend that can never be mined: they return to the state in their marks, or are held if their tokens have ended. */
    void free(SqlSession session, SpendRow row, long now) throws SQLException {
        if (!row.intent().kind().equals(StandIns.PAYOUT_BATCH)) {
            return;
        }
        List<Standing> carried = session.query(STANDING + "p.spend = ?", PayoutTable::standing, row.id());
        long change = nextChange();
        session.update(
                "INSERT INTO payout_attempts (payout, spend, output_index)"
                        + " SELECT id, spend, output_index FROM payouts WHERE spend = ? ON CONFLICT DO NOTHING",
                row.id());
        session.update(
                "UPDATE payouts SET spend = NULL, output_index = NULL, changed_at = ?, change = ? WHERE spend = ?",
                now,
                change,
                row.id());
        CrashPoint.PAYOUTS_IN_REQUEUE.reached();
        for (Standing payout : carried) {
            if (payout.mark().equals(QUEUED) && mustBeHeld(payout)) {
                session.deferCombined(List.of(), "UPDATE payouts SET mark = 'HELD' WHERE id = ?", payout.id());
            }
        }
        unfinished = OptionalLong.empty();
    }

    /**
     * Holds all queued payouts, and those that would be queued again if their transaction is lost; readers of the change feed start over. Payouts that
     * are final are not written again: there may be years of them.
     *
     * @param generation new generation of the change feed
     */
    static void holdAll(SqlSession session, long generation) throws SQLException {
        session.update(
                "UPDATE payouts SET mark = ?, released = 0 WHERE mark = ? AND NOT EXISTS (SELECT 1 FROM spends s"
                        + " WHERE s.id = payouts.spend AND s.state = 'CONFIRMED' AND s.buried = 1)",
                HELD,
                QUEUED);
        session.update("UPDATE payout_queue SET generation = ? WHERE one = 1", generation);
    }

    /**
     * Adds the payouts that the log records for a batch, creating missing ones. A payout already carried by another open batch stays with that batch,
     * and a cancelled payout stays cancelled.
     *
     * @return whether there is such a payout, so that this batch must not be sent
     */
    boolean enter(SqlSession session, SpendRow row, SentLine.Carried line) throws SQLException {
        List<TxOutput> outputs =
                TransactionCodec.decode(row.intent().transaction().toArray()).outputs();
        boolean lost = row.intent().state() == IntentState.CONFLICTED;
        long source = source(session, List.of(row.intent().from()));
        long change = nextChange();
        boolean elsewhere = false;
        for (SentLine.Carried.Item item : line.payouts()) {
            TxOutput output = outputs.get(item.index());
            if (!digest(output).equals(item.digest())) {
                throw new SQLException(
                        "batch " + line.txId() + " does not pay the payouts that the log records for it");
            }
            Optional<Standing> there = session.find(standingOf(item.payoutId()));
            long id = there.isPresent()
                    ? there.get().id()
                    : insert(
                            session,
                            new Order(
                                    item.payoutId(),
                                    output.address().orElseThrow(),
                                    output.value(),
                                    Optional.ofNullable(output.datum()),
                                    Optional.empty()),
                            source,
                            item.owner(),
                            HELD,
                            item.submittedAt());
            OptionalLong carrier = there.map(Standing::spend).orElse(OptionalLong.empty());
            if (carrier.isPresent() && carrier.getAsLong() == row.id()) {
                continue;
            }
            boolean ended = there.filter(known -> !known.isWaiting()).isPresent();
            if (lost || ended) {
                elsewhere |= ended && !lost;
                session.update(
                        "INSERT INTO payout_attempts (payout, spend, output_index) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        id,
                        row.id(),
                        item.index());
            } else {
                session.update(
                        "UPDATE payouts SET spend = ?, output_index = ?, change = ?, mark = ? WHERE id = ?",
                        row.id(),
                        item.index(),
                        change,
                        HELD,
                        id);
            }
        }
        return elsewhere;
    }

    /** Adds a payout that no batch has carried yet, under an unbound id. It is held for the operator. */
    void enter(SqlSession session, SentLine.Submitted.Item item, long source, Optional<String> owner)
            throws SQLException {
        insert(session, item.order(), source, owner, HELD, item.submittedAt());
    }

    /** Adds a payout that was cancelled and is never paid. */
    void enter(SqlSession session, SentLine.Cancelled line) throws SQLException {
        Optional<Standing> there = session.find(standingOf(line.payoutId()));
        if (there.isEmpty()) {
            insert(
                    session,
                    new Order(line.payoutId(), line.to(), line.amount(), line.datum(), Optional.empty()),
                    source(session, line.from()),
                    line.owner(),
                    CANCELLED,
                    line.submittedAt());
        } else if (there.get().isWaiting()) {
            session.update(
                    "UPDATE payouts SET mark = ?, change = ? WHERE id = ?",
                    CANCELLED,
                    nextChange(),
                    there.get().id());
        }
    }

    /** Returns the log line for the payouts that a batch carries or has carried; empty for other spends. */
    public static Optional<SentLine.Carried> carriedBy(SqlSession session, SpendRow row) throws SQLException {
        if (!row.intent().kind().equals(StandIns.PAYOUT_BATCH)) {
            return Optional.empty();
        }
        List<SentLine.Carried.Item> items = new ArrayList<>();
        for (String carried : List.of(
                ", p.output_index AS place FROM payouts p JOIN payout_sources f ON f.id = p.source WHERE p.spend = ?",
                ", a.output_index AS place FROM payout_attempts a JOIN payouts p ON p.id = a.payout JOIN payout_sources f"
                        + " ON f.id = p.source WHERE a.spend = ?")) {
            session.visit(
                    STANDING_COLUMNS + carried,
                    found -> items.add(item(standing(found), (int) found.number("place"))),
                    row.id());
        }
        return items.isEmpty()
                ? Optional.empty()
                : Optional.of(new SentLine.Carried(row.intent().txId(), items));
    }

    /**
     * Passes log lines of all queued, then all held payouts to {@code visitor}, each in order of submission. They must precede the lines of batches
     * that have carried them and lost, because those contain less of a payout.
     */
    static void visitWaiting(SqlSession session, SqlSession.Visitor<SentLine> visitor) throws SQLException {
        for (String mark : List.of(QUEUED, HELD)) {
            List<Standing> some = waiting(session, mark, 0);
            while (!some.isEmpty()) {
                int from = 0;
                for (int to = 1; to <= some.size(); to++) {
                    if (to == some.size() || !isAlike(some.get(from), some.get(to))) {
                        visitor.visit(submitted(some.subList(from, to)));
                        from = to;
                    }
                }
                some = waiting(session, mark, some.get(some.size() - 1).id());
            }
        }
    }

    private static List<Standing> waiting(SqlSession session, String mark, long after) throws SQLException {
        return session.query(
                STANDING + WAITING_OF_P + " AND p.mark = ? AND p.id > ? ORDER BY p.id LIMIT ?",
                PayoutTable::standing,
                mark,
                after,
                PayoutStore.MOST_AT_ONCE);
    }

    private static boolean isAlike(Standing one, Standing other) {
        return one.owner().equals(other.owner()) && one.from().equals(other.from());
    }

    private static SentLine.Submitted submitted(List<Standing> alike) {
        return new SentLine.Submitted(
                alike.get(0).from(),
                alike.get(0).owner(),
                alike.stream()
                        .map(payout -> new SentLine.Submitted.Item(payout.order(), payout.at()))
                        .toList());
    }

    /** Visits every cancelled payout. */
    static void visitCancelled(SqlSession session, SqlSession.Visitor<Row> visitor) throws SQLException {
        session.visit(STANDING + "p.mark = '" + CANCELLED + "' AND p.id > ? ORDER BY p.id", visitor, 0);
    }

    static SentLine.Cancelled readCancelled(Row row) throws SQLException {
        return cancelled(standing(row));
    }

    /** Reads payouts together with the state of their spends; the data of a batch is read only once. */
    static final class Reading {
        /** Number of batches read at once; each contains the bytes of its transaction. */
        private static final int BATCHES_AT_ONCE = 50;

        /** Transaction of a batch, its fee, and the number of payouts that share the fee. */
        private record Cost(Hash256 txId, Amount fee, int payouts) {}

        private record Attempt(long spend, Hash256 txId) {}

        private final SqlSession session;
        private final Map<Long, Cost> costs = new HashMap<>();

        Reading(SqlSession session) {
            this.session = session;
        }

        List<Payout> select(String where, Object... values) throws SQLException {
            return payouts(session.query(SELECT + where, Reading::raw, values));
        }

        /** Returns the payouts with these ids, in the same order. */
        List<Payout> ofIds(List<String> payoutIds) throws SQLException {
            List<SqlSession.Lookup<Raw>> lookups = payoutIds.stream()
                    .map(id -> new SqlSession.Lookup<>(id, SELECT + "p.payout_id = ?", Reading::raw, id))
                    .toList();
            SqlSession.Answers found = session.ask(lookups.stream());
            List<Raw> raw = new ArrayList<>(lookups.size());
            for (SqlSession.Lookup<Raw> lookup : lookups) {
                found.find(lookup).ifPresent(raw::add);
            }
            return payouts(raw);
        }

        private List<Payout> payouts(List<Raw> raw) throws SQLException {
            readCosts(raw.stream()
                    .flatMap(each -> each.spend().stream().boxed())
                    .filter(spend -> !costs.containsKey(spend))
                    .distinct()
                    .toList());
            SqlSession.Answers attempts = session.ask(raw.stream().map(each -> attempts(each.id())));
            List<Payout> payouts = new ArrayList<>(raw.size());
            for (Raw each : raw) {
                payouts.add(payout(each, attempts.all(attempts(each.id()))));
            }
            return payouts;
        }

        private void readCosts(List<Long> spends) throws SQLException {
            for (int from = 0; from < spends.size(); from += BATCHES_AT_ONCE) {
                List<SqlSession.Lookup<SpendRow>> batches =
                        spends.subList(from, Math.min(from + BATCHES_AT_ONCE, spends.size())).stream()
                                .map(SpendTable::ofId)
                                .toList();
                SqlSession.Answers found = session.ask(batches.stream());
                for (SqlSession.Lookup<SpendRow> batch : batches) {
                    SpendRow row = found.find(batch).orElseThrow();
                    costs.put(row.id(), cost(row.intent()));
                }
            }
        }

        private static SqlSession.Lookup<Attempt> attempts(long payout) {
            return new SqlSession.Lookup<>(
                    payout,
                    "SELECT a.spend, s.tx_id FROM payout_attempts a JOIN spends s ON s.id = a.spend WHERE a.payout = ?",
                    row -> new Attempt(row.number("spend"), row.hash("tx_id")),
                    payout);
        }

        private record Raw(
                long id,
                Order order,
                Optional<String> owner,
                List<Address> from,
                State state,
                OptionalLong spend,
                OptionalLong index,
                OptionalLong height,
                long submittedAt,
                long changedAt,
                Position position) {}

        private static Raw raw(Row row) throws SQLException {
            return new Raw(
                    row.number("id"),
                    order(row),
                    row.ifText("token_name"),
                    row.addresses("addresses"),
                    state(row),
                    row.ifNumber("spend"),
                    row.ifNumber("output_index"),
                    row.ifNumber("block_height"),
                    row.number("submitted_at"),
                    row.number("changed_at"),
                    new Position(row.number("generation"), row.number("change"), row.number("id")));
        }

        private static State state(Row row) throws SQLException {
            if (row.ifNumber("spend").isEmpty()) {
                return State.valueOf(row.text("mark"));
            }
            if (!IntentState.CONFIRMED.name().equals(row.text("state"))) {
                return State.IN_FLIGHT;
            }
            return row.flag("buried") ? State.FINAL : State.CONFIRMED;
        }

        private Payout payout(Raw raw, List<Attempt> earlier) {
            Optional<Cost> cost = raw.spend().stream().mapToObj(costs::get).findFirst();
            List<Hash256> attempts = new ArrayList<>(earlier.stream()
                    .sorted(Comparator.comparingLong(Attempt::spend))
                    .map(Attempt::txId)
                    .toList());
            cost.ifPresent(newest -> attempts.add(newest.txId()));
            return new Payout(
                    raw.id(),
                    raw.order(),
                    raw.state(),
                    raw.owner(),
                    raw.from(),
                    attempts,
                    raw.index().isPresent() ? OptionalInt.of((int) raw.index().getAsLong()) : OptionalInt.empty(),
                    raw.height(),
                    cost.map(all -> PayoutStore.feeShare(
                            all.fee(), all.payouts(), (int) raw.index().getAsLong())),
                    raw.submittedAt(),
                    raw.changedAt(),
                    raw.position());
        }

        private static Cost cost(Intent batch) {
            List<TxOutput> outputs =
                    TransactionCodec.decode(batch.transaction().toArray()).outputs();
            Amount fee = Amount.ZERO;
            for (Coin coin : batch.inputs()) {
                fee = fee.plus(coin.value());
            }
            for (TxOutput output : outputs) {
                fee = fee.minus(output.value());
            }
            return new Cost(batch.txId(), fee, batch.changeIndex().orElse(outputs.size()));
        }
    }
}
