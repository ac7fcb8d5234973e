package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.sql.PayoutTable.Standing;

/** Stores the queue of payouts in SQL. */
public final class SqlPayouts implements PayoutStore {
    /** Runs continuations on the thread that completes a write; they only queue the next write. */
    private static final Executor AT_ONCE = Runnable::run;

    private final SqlStore store;
    private final PayoutTable table;

    SqlPayouts(SqlStore store, PayoutTable table) {
        this.store = store;
        this.table = table;
    }

    @Override
    public CompletionStage<Submission> submit(
            List<Order> orders, List<Address> from, Optional<String> owner, long most, long now) {
        return store.writeNew(session -> {
            List<Order> fresh = new ArrayList<>();
            Set<String> ids = new HashSet<>();
            SqlSession.Answers bound = session.ask(orders.stream().flatMap(order -> ofId(order.payoutId())));
            for (int i = 0; i < orders.size(); i++) {
                Order order = orders.get(i);
                Optional<Standing> there = bound.find(PayoutTable.standingOf(order.payoutId()));
                Optional<Submission.Taken> taken = there.isPresent()
                        ? takenByPayout(session, order, owner, i, there.get())
                        : takenByOther(bound, order.payoutId(), i);
                if (taken.isPresent()) {
                    return taken.get();
                }
                if (!ids.add(order.payoutId())) {
                    return new Submission.Taken(i, order.payoutId(), Optional.empty());
                }
                if (there.isEmpty()) {
                    fresh.add(order);
                }
            }
            long unfinished = table.unfinished(session);
            if (!fresh.isEmpty() && unfinished + fresh.size() > most) {
                return new Submission.Full(unfinished, most);
            }
            if (!fresh.isEmpty()) {
                insert(session, fresh, from, owner, now);
            }
            return new Submission.Accepted(
                    records(session, orders.stream().map(Order::payoutId).toList()));
        });
    }

    private void insert(SqlSession session, List<Order> fresh, List<Address> from, Optional<String> owner, long now)
            throws SQLException {
        if (from.isEmpty()) {
            throw new IllegalArgumentException("new payouts without a source address");
        }
        long source = PayoutTable.source(session, from);
        String mark = table.hasEnded(owner) ? PayoutTable.HELD : PayoutTable.QUEUED;
        for (Order order : fresh) {
            table.insert(session, order, source, owner, mark, now);
        }
        table.submitted(fresh, from, owner, now);
    }

    /** Returns the lookups of everything that an id may be bound to. */
    private static Stream<SqlSession.Lookup<?>> ofId(String id) {
        return Stream.of(
                PayoutTable.standingOf(id),
                SqlSweeps.ofToken(id),
                SqlAccountSends.ofToken(id),
                SpendTable.transactionOf(id),
                KeptSpends.keptTransactionOf(id),
                KeptSpends.erasedTransactionOf(id));
    }

    private static Optional<Submission.Taken> takenByPayout(
            SqlSession session, Order order, Optional<String> owner, int index, Standing there) throws SQLException {
        boolean same = there.order().paysAs(order) && there.owner().equals(owner);
        return same
                ? Optional.empty()
                : Optional.of(new Submission.Taken(
                        index,
                        order.payoutId(),
                        Optional.empty(),
                        records(session, List.of(order.payoutId())).stream().findFirst()));
    }

    private static Optional<Submission.Taken> takenByOther(SqlSession.Finder bound, String id, int index)
            throws SQLException {
        if (isOfSweepOrAccount(bound, id)) {
            return Optional.of(new Submission.Taken(index, id, Optional.empty()));
        }
        return SqlSweeps.everBound(bound, id).map(txId -> new Submission.Taken(index, id, Optional.of(txId)));
    }

    private static boolean isOfSweepOrAccount(SqlSession.Finder bound, String id) throws SQLException {
        return SqlSweeps.has(bound, id) || SqlAccountSends.has(bound, id);
    }

    @Override
    public CompletionStage<Optional<String>> firstUnbound(List<String> payoutIds) {
        return store.read(session -> unbound(session, payoutIds).stream().findFirst());
    }

    /** Returns those of these ids that are not bound to anything, in their given order. */
    static List<String> unbound(SqlSession session, List<String> payoutIds) throws SQLException {
        SqlSession.Answers bound = session.ask(payoutIds.stream().flatMap(SqlPayouts::ofId));
        List<String> unbound = new ArrayList<>();
        for (String id : payoutIds) {
            boolean isBound = bound.find(PayoutTable.standingOf(id)).isPresent()
                    || isOfSweepOrAccount(bound, id)
                    || SqlSweeps.everBound(bound, id).isPresent();
            if (!isBound) {
                unbound.add(id);
            }
        }
        return unbound;
    }

    private static List<Payout> records(SqlSession session, List<String> payoutIds) throws SQLException {
        return new PayoutTable.Reading(session).ofIds(payoutIds);
    }

    @Override
    public CompletionStage<Optional<Payout>> find(String payoutId) {
        return store.read(
                session -> records(session, List.of(payoutId)).stream().findFirst());
    }

    @Override
    public CompletionStage<List<Payout>> list(Optional<State> state, long after, int most) {
        return store.read(session -> {
            PayoutTable.Reading reading = new PayoutTable.Reading(session);
            String page = "p.id > ? ORDER BY p.id LIMIT ?";
            if (state.isEmpty()) {
                return reading.select(page, after, most);
            }
            return switch (state.get()) {
                case QUEUED, HELD ->
                    reading.select(PayoutTable.WAITING_OF_P + " AND p.mark = ? AND " + page, state.get(), after, most);
                case CANCELLED -> reading.select("p.mark = '" + PayoutTable.CANCELLED + "' AND " + page, after, most);
                // Uses the index of open batches: few batches are open, however many are final.
                case IN_FLIGHT -> reading.select(ofOpenBatches("state <> 'CONFIRMED'") + page, after, most);
                case CONFIRMED -> reading.select(ofOpenBatches("state = 'CONFIRMED'") + page, after, most);
                case FINAL -> reading.select("s.state = 'CONFIRMED' AND s.buried = 1 AND " + page, after, most);
            };
        });
    }

    private static String ofOpenBatches(String state) {
        return "p.spend IN (SELECT id FROM spends INDEXED BY spends_batches WHERE " + PayoutTable.OPEN_BATCH + " AND "
                + state + ") AND +";
    }

    @Override
    public CompletionStage<Changes> changes(Position after, int most) {
        return store.read(session -> {
            long generation = session.number("SELECT generation FROM payout_queue WHERE one = 1");
            // A position not issued by this feed belongs to another store; reading then starts over so that no change
            // is missed.
            boolean ofThisFeed = after.generation() == generation && after.change() <= PayoutTable.lastChange(session);
            Position from = ofThisFeed ? after : new Position(generation, 0, 0);
            List<Payout> read = new PayoutTable.Reading(session)
                    .select(
                            "(p.change, p.id) > (?, ?) ORDER BY p.change, p.id LIMIT ?",
                            from.change(),
                            from.number(),
                            most + 1);
            boolean more = read.size() > most;
            List<Payout> page = more ? read.subList(0, most) : read;
            Position next = page.isEmpty() ? from : page.get(page.size() - 1).position();
            return new Changes(List.copyOf(page), next, more);
        });
    }

    /** Change made to a payout if its state permits that. */
    @FunctionalInterface
    private interface Step {
        void apply(SqlSession session, Standing payout) throws SQLException;
    }

    private CompletionStage<Change> change(List<String> payoutIds, Claimant claimant, Step step) {
        return store.write(session -> {
            Set<Standing> payouts = new LinkedHashSet<>();
            SqlSession.Answers standings = session.ask(payoutIds.stream().map(PayoutTable::standingOf));
            for (String id : payoutIds) {
                Optional<Standing> found = standings.find(PayoutTable.standingOf(id));
                if (found.isEmpty()) {
                    return new Change.Unknown(id);
                }
                if (!claimant.mayChange(found.get().owner())) {
                    return new Change.Foreign(id);
                }
                payouts.add(found.get());
            }
            for (Standing payout : payouts) {
                step.apply(session, payout);
            }
            return new Change.Done(records(session, payoutIds));
        });
    }

    @Override
    public CompletionStage<Position> end() {
        return store.read(session -> new Position(
                session.number("SELECT generation FROM payout_queue WHERE one = 1"),
                PayoutTable.lastChange(session),
                Long.MAX_VALUE));
    }

    @Override
    public CompletionStage<Change> cancel(List<String> payoutIds, Claimant claimant, long now) {
        return change(payoutIds, claimant, (session, payout) -> {
            if (payout.isWaiting()) {
                table.cancel(session, payout, now);
            }
        });
    }

    @Override
    public CompletionStage<Change> release(List<String> payoutIds, Claimant claimant, long now) {
        return change(payoutIds, claimant, (session, payout) -> {
            store.requireKeeper();
            if (payout.isWaiting() && !payout.isQueued()) {
                table.release(session, payout, now);
            }
        });
    }

    @Override
    public CompletionStage<Optional<String>> waitingFrom(Address address) {
        return store.read(session -> waitingFrom(session, address));
    }

    public static Optional<String> waitingFrom(SqlSession session, Address address) throws SQLException {
        List<Long> sources = new ArrayList<>();
        session.query(
                        "SELECT id, addresses FROM payout_sources",
                        row -> Map.entry(row.number("id"), row.addresses("addresses")))
                .forEach(source -> {
                    if (source.getValue().contains(address)) {
                        sources.add(source.getKey());
                    }
                });
        for (long source : sources) {
            Optional<String> waiting = session.queryOne(
                    "SELECT payout_id FROM payouts WHERE " + PayoutTable.WAITING + " AND source = ? LIMIT 1",
                    row -> row.text("payout_id"),
                    source);
            if (waiting.isPresent()) {
                return waiting;
            }
        }
        return Optional.empty();
    }

    @Override
    public CompletionStage<Integer> holdEnded(Set<String> owners, long now) {
        return holdEnded(owners, 0, 0, now);
    }

    /** Holds a part of the payouts in each commit, so that other writes do not wait for all of them. */
    private CompletionStage<Integer> holdEnded(Set<String> owners, long after, int before, long now) {
        return store.write(session -> {
                    store.requireKeeper();
                    return table.holdEnded(session, owners, after, now);
                })
                .thenComposeAsync(
                        chunk -> chunk.last().isPresent()
                                ? holdEnded(owners, chunk.last().getAsLong(), before + chunk.held(), now)
                                : CompletableFuture.completedFuture(before + chunk.held()),
                        AT_ONCE);
    }

    @Override
    public CompletionStage<Void> pause(boolean paused) {
        return store.write(session -> {
            table.pause(session, paused);
            return null;
        });
    }

    @Override
    public CompletionStage<Boolean> isPaused() {
        return store.read(PayoutTable::isPaused);
    }

    @Override
    public CompletionStage<List<Hash256>> unrecalled() {
        return store.read(session -> {
            List<Hash256> abandoned = session.query(
                    "SELECT tx_id FROM spends INDEXED BY spends_batches WHERE " + PayoutTable.OPEN_BATCH
                            + " AND state = 'ABANDONED'",
                    SpendTable::txId);
            List<Hash256> unrecalled = new ArrayList<>();
            for (Hash256 txId : abandoned) {
                Optional<SpendRow> recall = SpendTable.bound(session, StandIns.recallToken(txId), Long.MIN_VALUE);
                if (recall.isEmpty() || recall.get().intent().state().failed()) {
                    unrecalled.add(txId);
                }
            }
            return unrecalled;
        });
    }

    @Override
    public CompletionStage<Map<Hash256, Set<Hash256>>> spendsOf(Address address, Set<Hash256> txIds) {
        return store.read(session -> {
            Map<Hash256, Set<Hash256>> own = new HashMap<>();
            SqlSession.Answers spends = session.ask(txIds.stream().map(SpendTable::ofTransaction));
            for (Hash256 txId : txIds) {
                spends.find(SpendTable.ofTransaction(txId))
                        .map(SpendRow::intent)
                        .filter(intent -> intent.from().equals(address))
                        .ifPresent(intent -> own.put(
                                txId,
                                intent.inputs().stream()
                                        .map(coin -> coin.outpoint().txId())
                                        .collect(Collectors.toSet())));
            }
            return own;
        });
    }

    @Override
    public CompletionStage<Long> unfinished() {
        return store.read(PayoutTable::countUnfinished);
    }

    @Override
    public void endedTokens(Predicate<String> ended) {
        table.endedTokens(ended);
    }

    @Override
    public void whenChanged(Runnable listener) {
        table.whenChanged(listener);
    }
}
