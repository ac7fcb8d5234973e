package org.chainwalletd.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    /** 16 MiB: a spend touches pages all over the file, and many share one checkpoint. */
    private static final int CHECKPOINT_PAGES = 4_096;

    private final String file;
    private final SqlSession readSession;
    private final GroupCommitWriter writer;
    private final SqlSession writeSession;
    private final ExecutorService reader;
    private final SqliteSpends spends;

    private SqliteStore(String file, SqlSession readSession, SqlSession writeSession) {
        this.file = file;
        this.readSession = readSession;
        this.writeSession = writeSession;
        this.writer = new GroupCommitWriter(writeSession, file);
        this.reader = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "store-reader");
            thread.setDaemon(true);
            return thread;
        });
        this.spends = new SqliteSpends(this);
    }

    /**
     * Opens or makes the store in {@code folder}, checks it and brings it to the newest version. Blocks.
     *
     * @throws StoreException with the file's name: {@code DAMAGED}, which is left as it is, never replaced, or {@code UNAVAILABLE}
     */
    public static SqliteStore open(Path folder) {
        Path path = folder.resolve(FILE_NAME).toAbsolutePath();
        String file = path.toString();
        NativeLibrary.useShipped();
        try {
            AtomicFiles.createFolder(folder);
            if (Files.exists(path)) {
                StoreFile.requireWhole(path);
            } else {
                StoreFile.make(path);
            }
            SqlSession write = connect(path);
            check(write, file);
            Schema.migrate(write, file);
            SqliteStore store = new SqliteStore(file, connect(path), write);
            store.writer.start();
            return store;
        } catch (IOException | SQLException e) {
            throw StoreFile.unusable(path, e);
        }
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
        session.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
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
    public AllowanceStore allowance() {
        return spends;
    }

    @Override
    public int queued() {
        return writer.queued();
    }

    /** Writes in the next group commit. */
    <T> CompletableFuture<T> write(GroupCommitWriter.Work<T> work) {
        return writer.submit(work);
    }

    /** Writes in order, but not before a moment has passed or something urgent comes. */
    <T> CompletableFuture<T> writePatiently(GroupCommitWriter.Work<T> work) {
        return writer.submitPatiently(work);
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
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            LOG.warn("store {}: {}", file, e.getMessage());
        }
    }
}
