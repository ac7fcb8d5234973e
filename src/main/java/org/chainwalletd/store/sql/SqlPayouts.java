package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.sql.PayoutTable.Standing;

/** Keeps the queue of payouts in SQL. */
public final class SqlPayouts implements PayoutStore {
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
            for (int i = 0; i < orders.size(); i++) {
                Order order = orders.get(i);
                Optional<Submission.Taken> taken = taken(session, order, owner, i);
                if (taken.isPresent()) {
                    return taken.get();
                }
                if (!ids.add(order.payoutId())) {
                    return new Submission.Taken(i, order.payoutId(), Optional.empty());
                }
                if (!PayoutTable.has(session, order.payoutId())) {
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
            throw new IllegalArgumentException("no address pays the new payouts");
        }
        long source = PayoutTable.source(session, from);
        String mark = table.hasEnded(owner) ? PayoutTable.HELD : PayoutTable.QUEUED;
        for (Order order : fresh) {
            table.insert(session, order, source, owner, mark, now);
        }
    }

    private static Optional<Submission.Taken> taken(SqlSession session, Order order, Optional<String> owner, int index)
            throws SQLException {
        Optional<Standing> there = PayoutTable.find(session, order.payoutId());
        if (there.isPresent()) {
            boolean same =
                    there.get().order().paysAs(order) && there.get().owner().equals(owner);
            return same
                    ? Optional.empty()
                    : Optional.of(new Submission.Taken(
                            index,
                            order.payoutId(),
                            Optional.empty(),
                            records(session, List.of(order.payoutId())).stream().findFirst()));
        }
        if (isOfSweepOrAccount(session, order.payoutId())) {
            return Optional.of(new Submission.Taken(index, order.payoutId(), Optional.empty()));
        }
        return SqlSweeps.everBound(session, order.payoutId())
                .map(txId -> new Submission.Taken(index, order.payoutId(), Optional.of(txId)));
    }

    private static boolean isOfSweepOrAccount(SqlSession session, String id) throws SQLException {
        return SqlSweeps.has(session, id) || SqlAccountSends.has(session, id);
    }

    @Override
    public CompletionStage<Optional<String>> firstUnbound(List<String> payoutIds) {
        return store.read(session -> {
            for (String id : payoutIds) {
                boolean bound = PayoutTable.has(session, id)
                        || isOfSweepOrAccount(session, id)
                        || SqlSweeps.everBound(session, id).isPresent();
                if (!bound) {
                    return Optional.of(id);
                }
            }
            return Optional.empty();
        });
    }

    private static List<Payout> records(SqlSession session, List<String> payoutIds) throws SQLException {
        PayoutTable.Reading reading = new PayoutTable.Reading(session);
        List<Payout> records = new ArrayList<>(payoutIds.size());
        for (String id : payoutIds) {
            records.addAll(reading.select("p.payout_id = ?", id));
        }
        return records;
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
                    reading.select(
                            PayoutTable.WAITING_OF_P + " AND p.mark = ? AND " + page,
                            state.get().name(),
                            after,
                            most);
                case CANCELLED -> reading.select("p.mark = '" + PayoutTable.CANCELLED + "' AND " + page, after, most);
                // Uses the index of open batches: few are open, however many are final.
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
            long generation = session.queryOne(
                            "SELECT generation FROM payout_queue WHERE one = 1", row -> row.getLong(1))
                    .orElseThrow();
            // A position that this feed has not given is one of another store, and no change may be missed.
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

    /** A change that is made to a payout if its state permits that. */
    @FunctionalInterface
    private interface Step {
        void apply(SqlSession session, Standing payout) throws SQLException;
    }

    private CompletionStage<Change> change(List<String> payoutIds, Claimant claimant, Step step) {
        return store.write(session -> {
            Set<Standing> payouts = new LinkedHashSet<>();
            for (String id : payoutIds) {
                Optional<Standing> found = PayoutTable.find(session, id);
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
                session.queryOne("SELECT generation FROM payout_queue WHERE one = 1", row -> row.getLong(1))
                        .orElseThrow(),
                PayoutTable.lastChange(session),
                Long.MAX_VALUE));
    }

    @Override
    public CompletionStage<Change> cancel(List<String> payoutIds, Claimant claimant, long now) {
        return change(payoutIds, claimant, (session, payout) -> {
            if (payout.isWaiting()) {
                table.mark(session, payout, PayoutTable.CANCELLED, now);
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
                        row -> Map.entry(row.number("id"), PayoutTable.unpack(row.raw("addresses"))))
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
        return store.write(session -> {
            store.requireKeeper();
            List<Long> queued = new ArrayList<>();
            session.visit(
                    "SELECT id, coalesce(token_name, '" + CLASSIC + "') AS owner FROM payouts WHERE "
                            + PayoutTable.WAITING + " AND mark = 'QUEUED'",
                    row -> {
                        if (owners.contains(row.text("owner"))) {
                            queued.add(row.number("id"));
                        }
                    });
            int held = 0;
            for (long id : queued) {
                Standing payout = PayoutTable.find(session, id).orElseThrow();
                if (table.mustBeHeld(payout)) {
                    table.mark(session, payout, PayoutTable.HELD, now);
                    held++;
                }
            }
            return held;
        });
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
    public CompletionStage<Set<Hash256>> spendsOf(Address address, Set<Hash256> txIds) {
        return store.read(session -> {
            Set<Hash256> own = new HashSet<>();
            for (Hash256 txId : txIds) {
                if (SpendTable.find(session, txId)
                        .filter(row -> row.intent().from().equals(address))
                        .isPresent()) {
                    own.add(txId);
                }
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
