package org.chainwalletd.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;

/**
 * The default store: one SQLite file, {@code walletd.db} (0600), in write-ahead mode with an fsync per commit. One thread writes with group
 * commit, one reads; callers never block except while it opens.
 */
public final class SqliteStore implements Store {
    public static final String FILE_NAME = "walletd.db";

    private static final Logger LOG = LoggerFactory.getLogger(SqliteStore.class);
    private static final int BUSY_MILLIS = 10_000;
    private static final int CACHE_KIBIBYTES = 16 * 1024;
    /** A spend touches pages all over the file: the more spends share a checkpoint, the fewer of them each has to pay for. */
    private static final int CHECKPOINT_BYTES = 64 * 1024 * 1024;

    private final String file;
    private final SqlSession readSession;
    private final GroupCommitWriter writer;
    private final SqlSession writeSession;
    private final ExecutorService reader;
    private final StoreMark mark;
    private final SqliteIntents intents;
    private final SqliteReservations reservations;
    private final SqliteAllowance allowance;
    private final SqliteAccountSends accountSends;
    private final SqliteSwaps swaps;
    private final SqliteScanCursors scans;

    private SqliteStore(String file, SqlSession readSession, SqlSession writeSession, StoreMark mark)
            throws SQLException {
        this.file = file;
        this.readSession = readSession;
        this.writeSession = writeSession;
        Holdings holdings = new Holdings();
        AcceptedSpends accepted = new AcceptedSpends();
        SpendTable spends = new SpendTable(holdings, accepted);
        spends.takeUp(writeSession);
        this.mark = mark;
        this.writer = new GroupCommitWriter(writeSession, file, holdings, mark);
        this.reader = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "store-reader");
            thread.setDaemon(true);
            return thread;
        });
        this.intents = new SqliteIntents(this, spends, accepted);
        this.reservations = new SqliteReservations(this, spends);
        this.allowance = new SqliteAllowance(this);
        this.accountSends = new SqliteAccountSends(this);
        this.swaps = new SqliteSwaps(this);
        this.scans = new SqliteScanCursors(this);
    }

    /**
     * Opens or makes the store in {@code folder}, checks it and brings it to the newest version. Blocks.
     *
     * @throws StoreException with the file's name: {@code DAMAGED}, which is left as it is, never replaced, or {@code UNAVAILABLE}
     */
    public static SqliteStore open(Path folder) {
        return open(folder, false);
    }

    /**
     * As {@link #open(Path)}.
     *
     * @param restored the operator says that the store was restored from a backup, or made anew after it was lost, and knows what that means;
     *     refused when there is nothing to be said so of
     */
    public static SqliteStore open(Path folder, boolean restored) {
        Path path = folder.resolve(FILE_NAME).toAbsolutePath();
        String file = path.toString();
        NativeLibrary.useShipped();
        try {
            AtomicFiles.createFolder(folder);
            Optional<StoreMark.Known> known = StoreMark.read(folder);
            boolean missing = known.isPresent() && !Files.exists(path);
            if (missing) {
                StoreFile.requireNoLog(path);
            }
            if (missing && !restored) {
                throw forgetful(path, "is missing although this datadir has worked with one");
            }
            if (Files.exists(path)) {
                StoreFile.requireWhole(path);
            } else {
                StoreFile.make(path);
            }
            SqlSession write = connect(path);
            check(write, file);
            Schema.migrate(write, file);
            SqliteStore store =
                    new SqliteStore(file, connect(path), write, marked(write, path, known, restored, missing));
            store.writer.start();
            return store;
        } catch (IOException | SQLException e) {
            throw StoreFile.unusable(path, e);
        }
    }

    private static StoreMark marked(
            SqlSession session, Path path, Optional<StoreMark.Known> known, boolean restored, boolean missing)
            throws SQLException, IOException {
        String id = session.queryOne("SELECT lower(hex(id)) FROM identity WHERE one = 1", row -> row.getString(1))
                .orElseThrow();
        long commits = session.queryOne("SELECT commits FROM identity WHERE one = 1", row -> row.getLong(1))
                .orElseThrow();
        Optional<String> complaint = StoreMark.complaint(known, id, commits);
        if (complaint.isPresent() && !restored) {
            throw forgetful(path, complaint.get());
        }
        if (complaint.isEmpty() && restored && !missing) {
            throw new StoreException(
                    StoreException.Reason.UNAVAILABLE,
                    "the store " + path + " is the one that this datadir has worked with: start without "
                            + "--store-restored, which would let a store pass that has forgotten payments",
                    null);
        }
        complaint.ifPresent(why -> LOG.warn(
                "the store {} {}, and is used because of --store-restored: payments that it has forgotten are paid"
                        + " again when their client tokens come again",
                path,
                why));
        return StoreMark.open(path.getParent(), id, commits);
    }

    private static StoreException forgetful(Path path, String how) {
        return new StoreException(
                StoreException.Reason.DAMAGED,
                "the store " + path + " " + how + " (" + StoreMark.FILE_NAME + " beside it): payments would be"
                        + " forgotten, and their client tokens would pay again; put the newest copy back with its log"
                        + " (-wal), or, when it is lost, compare what your backend has paid with the chain and then start"
                        + " once with --store-restored",
                null);
    }

    private static SqlSession connect(Path path) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // Otherwise the driver asks for the last row id after every write. DriverManager would look for drivers in
        // every jar.
        config.setGetGeneratedKeys(false);
        SqlSession session = new SqlSession(config.createConnection("jdbc:sqlite:" + path));
        session.execute("PRAGMA busy_timeout = " + BUSY_MILLIS);
        session.execute("PRAGMA journal_mode = WAL");
        session.execute("PRAGMA synchronous = FULL");
        session.execute("PRAGMA foreign_keys = ON");
        session.execute("PRAGMA cache_size = -" + CACHE_KIBIBYTES);
        long pageSize =
                session.queryOne("PRAGMA page_size", row -> row.getLong(1)).orElseThrow();
        session.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_BYTES / pageSize);
        return session;
    }

    private static void check(SqlSession session, String file) throws SQLException {
        List<String> complaints = session.query("PRAGMA quick_check", row -> row.getString(1));
        if (!complaints.equals(List.of("ok"))) {
            throw new StoreException(
                    StoreException.Reason.DAMAGED, "the store " + file + " is damaged: " + complaints.get(0), null);
        }
    }

    @Override
    public IntentStore intents() {
        return intents;
    }

    @Override
    public ReservationStore reservations() {
        return reservations;
    }

    @Override
    public ReceiptStore receipts() {
        return intents;
    }

    @Override
    public AllowanceStore allowance() {
        return allowance;
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
        return scans;
    }

    @Override
    public int queued() {
        return writer.queued();
    }

    @Override
    public CompletionStage<Void> died() {
        return writer.died();
    }

    /** As {@link #write}, unless too much waits already. */
    <T> CompletableFuture<T> writeNew(GroupCommitWriter.Work<T> work) {
        return writer.submitNew(work);
    }

    /** Writes in the next group commit. */
    <T> CompletableFuture<T> write(GroupCommitWriter.Work<T> work) {
        return writer.submit(work);
    }

    /** Reads what is committed. */
    <T> CompletableFuture<T> read(GroupCommitWriter.Work<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            reader.execute(() -> readInto(future, work));
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(
                    new StoreException(StoreException.Reason.UNAVAILABLE, "store " + file + " is closed", e));
        }
        return future;
    }

    private <T> void readInto(CompletableFuture<T> future, GroupCommitWriter.Work<T> work) {
        try {
            future.complete(work.apply(readSession));
        } catch (SQLException | RuntimeException e) {
            future.completeExceptionally(new StoreException(
                    StoreException.Reason.UNAVAILABLE, "store " + file + " cannot be read: " + e.getMessage(), e));
        } catch (Error e) {
            // Whoever waits must hear of it before the thread ends.
            future.completeExceptionally(new StoreException(
                    StoreException.Reason.UNAVAILABLE, "store " + file + " cannot be read: " + e, e));
            throw e;
        }
    }

    @Override
    public void close() {
        reader.shutdown();
        try {
            writer.finish();
            if (!reader.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("store {}: a reader did not finish in time", file);
            }
            readSession.close();
            writeSession.close();
            mark.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException | IOException e) {
            LOG.warn("store {}: {}", file, e.getMessage());
        }
    }
}
