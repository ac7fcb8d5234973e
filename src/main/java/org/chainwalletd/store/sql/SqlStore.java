package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.ScanCursors;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.WatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Store kept in the tables of {@link Schema}, independent of the database engine. One thread writes with group commit and one reads; callers block
 * only while it opens and closes.
 */
public abstract class SqlStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(SqlStore.class);

    private final String name;
    /** Lines for {@code sent.log} of the commit that is being prepared. */
    protected final SentLog.Lines lines = new SentLog.Lines();

    private final ExecutorService reader;
    private final RowAges ages = new RowAges(this::sharedClock);
    private final SpendTable spendTable;
    private final PayoutTable payoutTable;
    private final SqlSpends spends;
    private final SqlPayouts payouts;
    private final SqlSweeps sweeps;
    private final SqlAllowance allowance;
    private final SqlAccountSends accountSends;
    private final SqlSwaps swaps;
    private GroupCommitWriter writer;

    /**
     * Creates the store.
     *
     * @param name of the file or the database, used in error messages
     */
    protected SqlStore(String name) {
        this.name = name;
        this.spendTable = new SpendTable(lines, ages);
        this.payoutTable = new PayoutTable(lines);
        this.allowance = new SqlAllowance(this);
        this.reader = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "store-reader");
            thread.setDaemon(true);
            return thread;
        });
        this.sweeps = new SqlSweeps(this, spendTable, lines);
        RawSendTable rawSends = new RawSendTable(spendTable, ages, lines);
        this.spends = new SqlSpends(this, spendTable, rawSends, allowance, payoutTable, sweeps);
        this.payouts = new SqlPayouts(this, payoutTable);
        this.accountSends = new SqlAccountSends(this, lines);
        this.swaps = new SqlSwaps(this);
    }

    /** Loads the in-memory state from the rows. */
    void load(SqlSession session) throws SQLException {
        spendTable.load(session);
        payoutTable.load(session);
        sweeps.load(session);
    }

    /** Reloads rows that other processes have changed. Called inside a transaction, before any check runs. */
    protected void follow(
            SqlSession session,
            Collection<Long> spendIds,
            Collection<Long> minutes,
            boolean ofPayouts,
            boolean ofSweeps)
            throws SQLException {
        List<SqlSession.Lookup<?>> lookups = new ArrayList<>(SpendTable.ofNumbers(spendIds));
        minutes.forEach(minute -> lookups.add(AllowanceTable.ALL.of(minute)));
        session.fetch(lookups);
        spendTable.reload(session, spendIds, sweeps::opened);
        allowance.reload(session, minutes);
        if (ofPayouts) {
            payoutTable.reload(session);
        }
        if (ofSweeps) {
            sweeps.load(session);
        }
        // Changes committed by other processes must survive a rollback of a unit of work in this transaction.
        sweeps.inMemory().settle();
    }

    /** Reloads all in-memory state, when it is unknown which rows have changed. */
    protected void reloadAll(SqlSession session) throws SQLException {
        spendTable.reloadAll(session);
        allowance.reloadAll(session);
        payoutTable.reload(session);
        sweeps.load(session);
    }

    /**
     * Returns whether this process may conclude that a spend's bytes were never sent, or belong to another payment: true when no other process
     * has ever run the spend.
     */
    protected boolean mayConcludeUnsent(SqlSession session, SpendRow row) throws SQLException {
        return true;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public void whenOthersChange(SharedRows rows, Runnable listener) {}

    /**
     * Rejects a write that is reserved for the daemon that does the background work.
     *
     * @throws StoreException {@code NOT_KEEPER}
     */
    public void requireKeeper() {}

    /**
     * Rejects closing a spend in a process that neither runs it nor does the background work.
     *
     * @throws StoreException {@code NOT_KEEPER}
     */
    protected void requireRunnerOrKeeper(SqlSession session, SpendRow row) throws SQLException {}

    /** Returns whether another process has taken over a spend that this process ran, so that its knowledge of the spend is out of date. */
    protected boolean wasTakenOver(SqlSession session, SpendRow row) throws SQLException {
        return false;
    }

    /** Returns whether another live process runs the spend and the spend changed recently, so that it is left to that process for now. */
    protected boolean runsElsewhere(SqlSession session, SpendRow row) throws SQLException {
        return false;
    }

    /** Returns the lookup of whether another process has deleted the key of an address; empty when no other process uses the store. */
    protected Optional<SqlSession.Lookup<Boolean>> deletion(Address address) {
        return Optional.empty();
    }

    /** Records that this process is about to send the bytes of a spend, regardless of which process ran it before. */
    protected void adopt(SqlSession session, SpendRow row) throws SQLException {}

    /** Records that this process will not send the bytes of these spends again without adopting them first. */
    protected void signOff(SqlSession session, Set<Hash256> txIds) throws SQLException {}

    /** Records, for a spend being signed off, that sends by this process in an earlier run of the spend have been answered too. */
    protected void unmark(SqlSession session, SpendRow row) throws SQLException {}

    /** Rejects an operation that frees coins of a spend while another process may still send it. */
    protected void requireSignedOff(SqlSession session, SpendRow row) throws SQLException {}

    /** Rejects caps that differ from those that all processes of the store have agreed on. */
    protected void requireAgreement(SqlSession session, AllowanceStore.Limits caps) throws SQLException {}

    /** Returns the clock of the database when daemons with possibly different clocks count against the same caps; empty otherwise. */
    protected Optional<Clock> sharedClock() {
        return Optional.empty();
    }

    @Override
    public CompletionStage<Void> maySend() {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the helper that stamps rows and compares their ages. */
    protected RowAges ages() {
        return ages;
    }

    @Override
    public Clock clock(Clock own) {
        return sharedClock().orElse(own);
    }

    /** Returns the exception for a failed read. */
    protected StoreException unreadable(Throwable e) {
        return StoreException.unavailable("store " + name + " cannot be read: " + e.getMessage(), e);
    }

    /** Returns whether the reader lost its connection and the read can be retried on a new one. */
    protected boolean readingWasCutOff(SQLException e) {
        return false;
    }

    /** Creates the writer; called at the end of a constructor. */
    protected void createWriter(GroupCommitWriter.Transactions transactions) {
        writer = new GroupCommitWriter(
                transactions,
                name,
                List.of(spendTable.inMemory(), sweeps.inMemory(), allowance.inMemory(), payoutTable, lines));
    }

    protected void startWriter() {
        writer.start();
    }

    /** Returns the session used by the reader thread. */
    protected abstract SqlSession reading() throws SQLException;

    @Override
    public IntentStore intents() {
        return spends;
    }

    @Override
    public ReservationStore reservations() {
        return spends;
    }

    @Override
    public ReceiptStore receipts() {
        return spends;
    }

    @Override
    public SpendHistory history() {
        return spends;
    }

    @Override
    public RawSendStore rawSends() {
        return spends;
    }

    @Override
    public AllowanceStore allowance() {
        return allowance;
    }

    /** Adopts the caps that the operator has changed for all processes of the store. */
    protected final void agree(SqlSession session, AllowanceStore.Limits caps) throws SQLException {
        allowance.agree(session, caps);
    }

    @Override
    public PayoutStore payouts() {
        return payouts;
    }

    @Override
    public SweepStore sweeps() {
        return sweeps;
    }

    @Override
    public AccountSendStore accountSends() {
        return accountSends;
    }

    @Override
    public SwapStore swaps() {
        return swaps;
    }

    @Override
    public ScanCursors scans() {
        return new Scans();
    }

    @Override
    public WatchStore watchOnly() {
        return new WatchOnlyRows();
    }

    @Override
    public int queued() {
        return writer.queued();
    }

    @Override
    public CompletionStage<Void> died() {
        return writer.died();
    }

    /** Writes as {@link #write} does, but rejects the write when too many are queued. */
    <T> CompletableFuture<T> writeNew(GroupCommitWriter.Work<T> work) {
        return stopped().isPresent() ? whileStopped() : writer.submitNew(work);
    }

    /** Writes in the next group commit. */
    public <T> CompletableFuture<T> write(GroupCommitWriter.Work<T> work) {
        return stopped().isPresent() ? whileStopped() : writer.submit(work);
    }

    private <T> CompletableFuture<T> whileStopped() {
        return CompletableFuture.failedFuture(StoreException.stopped(stopped().orElseThrow()));
    }

    /** Reads committed data. */
    public <T> CompletableFuture<T> read(GroupCommitWriter.Work<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            reader.execute(() -> readInto(future, work));
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(StoreException.unavailable("store " + name + " is closed", e));
        }
        return future;
    }

    private <T> void readInto(CompletableFuture<T> future, GroupCommitWriter.Work<T> work) {
        try {
            future.complete(readOnce(work));
        } catch (SQLException | RuntimeException e) {
            future.completeExceptionally(unreadable(e));
        } catch (Error e) {
            // Complete the caller's future before the error ends this thread.
            future.completeExceptionally(unreadable(e));
            throw e;
        }
    }

    private <T> T readOnce(GroupCommitWriter.Work<T> work) throws SQLException {
        try {
            return work.apply(reading());
        } catch (SQLException e) {
            if (!readingWasCutOff(e)) {
                throw e;
            }
            return work.apply(reading());
        }
    }

    /** Waits for the queued reads and writes to finish. Blocks. */
    protected void finish() throws InterruptedException {
        reader.shutdown();
        writer.finish();
        if (!reader.awaitTermination(10, TimeUnit.SECONDS)) {
            LOG.warn("store {}: a read did not finish in time", name);
        }
    }

    private final class Scans implements ScanCursors {
        @Override
        public CompletionStage<OptionalLong> of(String scan) {
            return SqlStore.this.read(session -> session.ifNumber("SELECT block FROM scans WHERE name = ?", scan));
        }

        @Override
        public CompletionStage<Void> move(String scan, long block) {
            return SqlStore.this.write(session -> {
                session.update(
                        "INSERT INTO scans (name, block) VALUES (?, ?)"
                                + " ON CONFLICT (name) DO UPDATE SET block = excluded.block"
                                + " WHERE scans.block < excluded.block",
                        scan,
                        block);
                return null;
            });
        }
    }

    private final class WatchOnlyRows implements WatchStore {
        @Override
        public CompletionStage<Void> put(WatchOnly watched) {
            return SqlStore.this.writeNew(session -> {
                WatchTable.put(session, watched);
                lines.add(new SentLine.Watched(watched));
                return null;
            });
        }

        @Override
        public CompletionStage<Void> remove(List<Address> addresses) {
            return SqlStore.this.write(session -> {
                for (Address address : addresses) {
                    if (WatchTable.remove(session, address)) {
                        lines.add(new SentLine.Unwatched(address));
                    }
                }
                return null;
            });
        }

        @Override
        public CompletionStage<Optional<WatchOnly>> find(Address address) {
            return SqlStore.this.read(session -> WatchTable.find(session, address));
        }

        @Override
        public CompletionStage<List<WatchOnly>> all() {
            return SqlStore.this.read(WatchTable::all);
        }

        @Override
        public void whenOthersChange(Runnable listener) {
            SqlStore.this.whenOthersChange(SharedRows.WATCHED, listener);
        }
    }

    /** Returns those of {@code txIds} that belong to no spend, live or kept, in their given order. */
    protected static List<Hash256> unknown(SqlSession session, List<Hash256> txIds) throws SQLException {
        List<Hash256> unknown = new ArrayList<>();
        for (Hash256 txId : txIds) {
            if (!SpendTable.isMade(session::find, txId)) {
                unknown.add(txId);
            }
        }
        return unknown;
    }
}
