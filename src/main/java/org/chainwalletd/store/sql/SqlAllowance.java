package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.Opening;

/**
 * Stores the use of the spend allowance: sums in {@link AllowanceTable}, and {@code counted_at} of the spends whose part may still be credited back.
 * {@link CapWindow} holds the same sums in memory.
 */
final class SqlAllowance implements AllowanceStore {
    private final SqlStore store;
    private final TokenUses tokens = new TokenUses();
    private volatile CapWindow window = new CapWindow(
            new Limits(Optional.empty(), Optional.empty(), Duration.ZERO), Clock.systemUTC(), OptionalLong::empty);

    /** Null before {@link #govern}; read and written on the writer thread. */
    private volatile Clocks clocks;

    SqlAllowance(SqlStore store) {
        this.store = store;
    }

    /** Returns the uncommitted changes of the window, which the writer commits and rolls back together with the rows. */
    GroupCommitWriter.InMemory inMemory() {
        return new GroupCommitWriter.InMemory() {
            @Override
            public int mark() {
                return window.mark();
            }

            @Override
            public void undoTo(int mark) {
                window.undoTo(mark);
            }

            @Override
            public void settle() {
                window.settle();
            }
        };
    }

    /** Reloads the sums of these minutes, which other processes have changed. */
    void reload(SqlSession session, Collection<Long> changed) throws SQLException {
        List<Minute> rows = new ArrayList<>();
        for (long minute : changed) {
            rows.add(new Minute(minute, AllowanceTable.ALL.sum(session, minute)));
        }
        window.follow(rows, changed::contains);
    }

    /** Reloads all sums, because other processes may have changed any of them. */
    void reloadAll(SqlSession session) throws SQLException {
        window.follow(AllowanceTable.ALL.minutes(session, Long.MIN_VALUE), minute -> true);
    }

    /** Clocks that decide when a use leaves the window. */
    private record Clocks(Clock own, Supplier<OptionalLong> chainMillis) {}

    @Override
    public CompletionStage<Void> govern(Limits limits, Clock clock, Supplier<OptionalLong> chainMillis) {
        GroupCommitWriter.Work<Void> load = session -> {
            clocks = new Clocks(clock, chainMillis);
            load(session, limits);
            store.ages().govern(clock, chainMillis);
            return null;
        };
        return store.stopped().isPresent()
                ? store.read(load)
                : store.write(session -> {
                    store.requireAgreement(session, limits);
                    return load.apply(session);
                });
    }

    private void load(SqlSession session, Limits limits) throws SQLException {
        CapWindow next = store.sharedClock().isPresent()
                ? CapWindow.shared(limits, store.sharedClock().get(), clocks.chainMillis())
                : new CapWindow(limits, clocks.own(), clocks.chainMillis());
        if (!limits.none()) {
            AllowanceTable.ALL.minutes(session, Long.MIN_VALUE).forEach(next::load);
        }
        window = next;
    }

    /** Adopts the caps that the operator has set for all daemons; has no effect before {@link #govern}, when no caps are checked yet. */
    void agree(SqlSession session, Limits limits) throws SQLException {
        if (clocks != null && !limits.equals(window.limits())) {
            load(session, limits);
        }
    }

    @Override
    public void governTokens(Function<String, Optional<Amount>> caps) {
        tokens.caps(caps);
    }

    @Override
    public CompletionStage<Optional<Amount>> remainingOf(String tokenName) {
        return store.read(session -> tokens.remaining(session, window, tokenName));
    }

    @Override
    public Optional<Opening.CapExceeded> refusal(Amount amount) {
        return window.judge(amount, BigInteger.ZERO);
    }

    @Override
    public Amount spent() {
        return window.limits().none() ? Amount.ZERO : window.status().spent();
    }

    @Override
    public CompletionStage<Status> status() {
        CapWindow known = window;
        if (known.limits().none()) {
            return store.read(session ->
                    Status.of(known.limits(), sumOf(AllowanceTable.ALL.minutes(session, known.lastPeriod()))));
        }
        if (store.stopped().isPresent() || known.setBackTo().isEmpty()) {
            return CompletableFuture.completedFuture(known.status());
        }
        return store.write(session -> {
            moveFutureUses(session);
            return known.status();
        });
    }

    private static BigInteger sumOf(List<Minute> minutes) {
        return minutes.stream().map(Minute::amount).reduce(BigInteger.ZERO, BigInteger::add);
    }

    @Override
    public CompletionStage<List<Minute>> spentSince(long since) {
        return store.read(session -> AllowanceTable.ALL.minutes(session, since));
    }

    /**
     * Returns why a cap of the operator or of the spend's access token forbids it. Called in the transaction that would open the spend.
     *
     * @param replaced spends whose use of the allowance is credited back
     */
    Optional<Opening.CapExceeded> exceeded(SqlSession session, Intent intent, List<SpendRow> replaced)
            throws SQLException {
        Optional<Opening.CapExceeded> ofToken = tokens.exceeded(session, window, intent, replaced);
        if (ofToken.isPresent()) {
            return ofToken;
        }
        BigInteger givenBack = replaced.stream()
                .filter(row -> row.countedAt().isPresent())
                .map(row ->
                        window.counted(row.intent().allowance(), row.countedAt().getAsLong()))
                .reduce(BigInteger.ZERO, BigInteger::add);
        return window.judge(intent.allowance(), givenBack);
    }

    /** Returns the time from which a use counts that was made at {@code at} by the daemon's clock. */
    long stamp(long at) {
        return window.stamp(at);
    }

    /**
     * Counts a spend's use of the allowance.
     *
     * @param now time of the daemon's clock, milliseconds since 1970
     * @return time from which it counts; empty when its amount is zero
     */
    OptionalLong count(SqlSession session, Intent intent, long now) throws SQLException {
        long at = stamp(now);
        window.change(at, intent.allowance().toBigInteger());
        tokens.count(session, intent, at);
        return AllowanceTable.ALL.count(session, intent.allowance(), at);
    }

    /** Credits a spend's use of the allowance back. A use so old that its minute was removed does not count any more anyway. */
    void giveBack(SqlSession session, SpendRow row) throws SQLException {
        if (row.countedAt().isEmpty()) {
            return;
        }
        BigInteger taken = AllowanceTable.ALL.giveBack(session, row);
        window.change(row.countedAt().getAsLong(), taken.negate());
        TokenUses.giveBack(session, row);
    }

    /**
     * Moves uses that a fast clock has stamped with a future time to the present; otherwise they would leave the window only one period after that
     * time.
     */
    void moveFutureUses(SqlSession session) throws SQLException {
        OptionalLong setBackTo = window.setBackTo();
        if (setBackTo.isPresent()) {
            long last = setBackTo.getAsLong();
            long minute = Minute.startOf(last);
            for (Minute ahead : AllowanceTable.ALL.minutes(session, minute + MINUTE_MILLIS)) {
                session.update("DELETE FROM allowance_minutes WHERE minute = ?", ahead.start());
                AllowanceTable.ALL.add(session, minute, ahead.amount());
                window.change(ahead.start(), ahead.amount().negate());
                window.change(minute, ahead.amount());
            }
            session.update("UPDATE spends SET counted_at = ? WHERE counted_at > ?", last, last);
        }
    }

    @Override
    public CompletionStage<Void> forgetUses(long before, int keep) {
        return store.write(session -> {
            moveFutureUses(session);
            long first = Minute.startOf(store.ages().ended(before));
            long later = session.number("SELECT COUNT(*) FROM allowance_minutes WHERE minute >= ?", first);
            OptionalLong last = session.ifNumber(
                    "SELECT minute FROM allowance_minutes WHERE minute < ? ORDER BY minute DESC LIMIT 1 OFFSET ?",
                    first,
                    Math.max(0, keep - later));
            if (last.isPresent()) {
                for (Minute old : AllowanceTable.ALL.minutes(session, Long.MIN_VALUE)) {
                    if (old.start() <= last.getAsLong()) {
                        window.change(old.start(), old.amount().negate());
                    }
                }
                session.update("DELETE FROM allowance_minutes WHERE minute <= ?", last.getAsLong());
                TokenUses.forget(session, last.getAsLong());
            }
            return null;
        });
    }
}
