package org.chainwalletd.store.books;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AtomicFiles;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.SqlSession;
import org.chainwalletd.store.Sqlite;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BookSchema.StoreSeen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code books.db} (0600), in write-ahead mode with an fsync per commit. One thread writes, one transaction per unit of work; one reads
 * committed data. Callers block only while it opens and closes.
 */
public final class Books implements AutoCloseable {
    public static final String FILE_NAME = "books.db";

    private static final Logger LOG = LoggerFactory.getLogger(Books.class);
    private static final int CLOSING_SECONDS = 10;
    /**
     * Page size in bytes, the smallest possible: a block changes about fourteen trees, and each changed page is written whole into the log. Files
     * of older releases keep their page size.
     */
    private static final int PAGE_SIZE = 512;

    private final String file;
    private final SqlSession writeSession;
    private final SqlSession readSession;
    private final BooksSession writing;
    private final BooksSession reading;
    private final ExecutorService writer = thread("books-writer");
    private final ExecutorService reader = thread("books-reader");
    private volatile Supplier<Optional<CommitMark>> store = Optional::empty;
    private Optional<CommitMark> remembered = Optional.empty();
    /** SQLite's data version: it changes when another connection has written. */
    private long othersWrote;
    /** Number of the current run of background work; raised on the writer's thread. */
    private final AtomicLong epoch = new AtomicLong();

    /** A unit of work; run once, whole or not at all. */
    @FunctionalInterface
    public interface Work<T> {
        T apply(BooksSession session);
    }

    private Books(String file, SqlSession writeSession, SqlSession readSession) {
        this.file = file;
        this.writeSession = writeSession;
        this.readSession = readSession;
        this.writing = BooksSession.ofWriter(writeSession);
        this.reading = BooksSession.ofReader(readSession);
    }

    /**
     * Opens or creates the file in {@code folder} and upgrades the tables of every book to their newest version. Blocks.
     *
     * @throws StoreException with the file's name: {@code DAMAGED}, and the file is left as it is, never replaced; or {@code UNAVAILABLE}
     */
    public static Books open(Path folder, List<? extends BookTable<?, ?>> tables) {
        Path path = folder.resolve(FILE_NAME).toAbsolutePath();
        try {
            AtomicFiles.createFolder(folder);
            if (Files.exists(path)) {
                Sqlite.requireWhole(path);
            } else {
                Sqlite.make(path, PAGE_SIZE, session -> BookSchema.migrate(session, path.toString(), tables));
            }
            SqlSession write = Sqlite.connect(path);
            check(write, path);
            BookSchema.migrate(write, path.toString(), tables);
            return new Books(path.toString(), write, Sqlite.connect(path));
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    /**
     * Makes each later commit record the newest commit of the money store too, so that a store restored from an older copy is noticed.
     *
     * @param newest called on the writer's thread; empty leaves the recorded commit as it is
     */
    public void remember(Supplier<Optional<CommitMark>> newest) {
        store = newest;
    }

    /**
     * Reads the commit of the money store that the books in {@code folder} remember, without creating or changing them; empty when there are
     * none, or they remember none. Blocks.
     */
    public static Optional<CommitMark> remembered(Path folder) {
        return at(folder, session -> StoreSeen.read(session));
    }

    /** Records this commit of a restored store in the books in {@code folder}, if there are any. Blocks. */
    public static void remember(Path folder, CommitMark mark) {
        at(folder, session -> {
            if (StoreSeen.isIn(session)) {
                StoreSeen.write(session, mark);
            }
            return Optional.empty();
        });
    }

    /** Lists transactions that spent coins of ours in blocks from {@code height} on, according to the books in {@code folder}. Blocks. */
    public static List<Hash256> spenders(Path folder, long height) {
        return at(folder, session -> Optional.of(StoreSeen.spenders(session, height)))
                .orElse(List.of());
    }

    /** Query of a file that no daemon has open. */
    @FunctionalInterface
    private interface Look<T> {
        Optional<T> at(SqlSession session) throws SQLException;
    }

    private static <T> Optional<T> at(Path folder, Look<T> look) {
        Path path = folder.resolve(FILE_NAME).toAbsolutePath();
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (SqlSession session = Sqlite.connect(path)) {
            Sqlite.requireWhole(path);
            return look.at(session);
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    private static void check(SqlSession session, Path path) throws SQLException {
        Optional<String> damage = Sqlite.damage(session);
        if (damage.isPresent()) {
            throw new StoreException(
                    StoreException.Reason.DAMAGED,
                    path + " is damaged: " + damage.get()
                            + "; restore it from a backup, or move it away: it is then built anew from the chain",
                    null);
        }
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs {@code work} in a transaction of its own; the future completes after the commit, or fails with nothing written. */
    public <T> CompletableFuture<T> write(Work<T> work) {
        return submit(writer, future -> commit(future, work));
    }

    /** Writes for one run of the background work: late writes of a run that has ended change nothing. */
    public final class Epoch {
        private final long number;

        private Epoch(long number) {
            this.number = number;
        }

        /** Writes as {@link Books#write} does; fails once {@link #endEpoch} is done. */
        public <T> CompletableFuture<T> write(Work<T> work) {
            return Books.this.write(session -> {
                if (epoch.get() != number) {
                    throw new EpochEnded();
                }
                return work.apply(session);
            });
        }
    }

    private static final class EpochEnded extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EpochEnded() {
            super("the run of background work that wrote it has ended", null, false, false);
        }
    }

    /** Returns the current run of background work. */
    public Epoch epoch() {
        return new Epoch(epoch.get());
    }

    /**
     * Ends the current run: when the future completes, everything passed to its {@link Epoch} before is written, and nothing passed to it later
     * will be.
     */
    public CompletableFuture<Void> endEpoch() {
        return write(session -> {
            epoch.incrementAndGet();
            return null;
        });
    }

    /** Reads committed data. */
    public <T> CompletableFuture<T> read(Work<T> work) {
        return submit(reader, future -> readInto(future, work));
    }

    private <T> CompletableFuture<T> submit(
            ExecutorService thread, java.util.function.Consumer<CompletableFuture<T>> run) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            thread.execute(() -> run.accept(future));
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(unavailable("is closed", e));
        }
        return future;
    }

    private <T> void commit(CompletableFuture<T> future, Work<T> work) {
        T result;
        try {
            writeSession.update("BEGIN IMMEDIATE");
            forgetWhatOthersChanged();
            result = work.apply(writing);
            Optional<CommitMark> seen = store.get();
            if (seen.isPresent() && !seen.equals(remembered)) {
                StoreSeen.write(writeSession, seen.get());
            }
            writeSession.update("COMMIT");
            remembered = seen;
        } catch (EpochEnded e) {
            rollback();
            future.completeExceptionally(unavailable("is not written: " + e.getMessage(), e));
            return;
        } catch (SQLException | RuntimeException e) {
            rollback();
            LOG.error("{} cannot be written: {}", file, e.getMessage());
            future.completeExceptionally(unavailable("cannot be written: " + e.getMessage(), e));
            return;
        } catch (Error e) {
            // The caller must get its failure before the thread ends.
            rollback();
            future.completeExceptionally(unavailable("cannot be written: " + e, e));
            throw e;
        }
        future.complete(result);
    }

    /** Drops the caches when another connection has written the file: the rows decide, and caches are valid only while nobody else writes. */
    private void forgetWhatOthersChanged() throws SQLException {
        long now = Sqlite.number(writeSession, "data_version");
        if (now != othersWrote) {
            othersWrote = now;
            writing.forgetAll();
        }
    }

    private void rollback() {
        writing.forgetAll();
        try {
            writeSession.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            // SQLite has rolled back by itself after some errors; there is no transaction left then.
            LOG.debug("{}: nothing to roll back: {}", file, e.getMessage());
        }
    }

    /** Reads in one transaction, so that several queries see the same moment. */
    private <T> void readInto(CompletableFuture<T> future, Work<T> work) {
        try {
            readSession.update("BEGIN");
            try {
                T result = work.apply(reading);
                future.complete(result);
            } finally {
                readSession.update("COMMIT");
            }
        } catch (SQLException | RuntimeException e) {
            future.completeExceptionally(unavailable("cannot be read: " + e.getMessage(), e));
        } catch (Error e) {
            future.completeExceptionally(unavailable("cannot be read: " + e, e));
            throw e;
        }
    }

    private StoreException unavailable(String what, Throwable cause) {
        return new StoreException(StoreException.Reason.UNAVAILABLE, file + " " + what, cause);
    }

    /** Finishes the queued reads and writes, then closes the file. Blocks. */
    @Override
    public void close() {
        reader.shutdown();
        writer.shutdown();
        try {
            if (!writer.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)
                    || !reader.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("{}: work under way did not end in time", file);
                return;
            }
            readSession.close();
            writeSession.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            LOG.warn("{}: {}", file, e.getMessage());
        }
    }
}
