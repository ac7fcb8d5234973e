package org.chainwalletd.store.books;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BookSchema.StoreSeen;
import org.chainwalletd.store.postgres.Postgres;
import org.chainwalletd.store.sql.SqlSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Books of the followed chain: one thread writes, in one transaction per unit of work, and another reads committed data. They are a file of one
 * daemon, or tables on a server that several daemons read and write ({@link BooksEngine}). Only opening and closing block the caller.
 */
public final class Books implements AutoCloseable {
    public static final String FILE_NAME = SqliteBooks.FILE_NAME;

    private static final Logger LOG = LoggerFactory.getLogger(Books.class);
    private static final int CLOSING_SECONDS = 10;

    private final BooksEngine engine;
    private final List<? extends BookTable<?, ?>> tables;
    private final Optional<BooksWatch> watch;
    private final ExecutorService writer = thread("books-writer");
    private final ExecutorService reader = thread("books-reader");
    /** Sessions with their row caches; null before the first transaction. Each is confined to its thread. */
    private BooksSession writing;

    private BooksSession reading;
    /** Whether a write of this daemon's last run was refused because another daemon has begun a run since. */
    private volatile boolean replaced;

    private volatile Supplier<Optional<CommitMark>> store = Optional::empty;
    private Optional<CommitMark> remembered = Optional.empty();

    /** A unit of work; takes effect once, atomically. Run again when the connection was lost before anything was written. */
    @FunctionalInterface
    public interface Work<T> {
        T apply(BooksSession session);
    }

    private Books(BooksEngine engine, List<? extends BookTable<?, ?>> tables) {
        this.engine = engine;
        this.tables = List.copyOf(tables);
        this.watch = engine.watching().map(watching -> new BooksWatch(engine.name(), watching, this.tables));
    }

    /**
     * Opens or creates the file in {@code folder} and upgrades the tables of every book to their newest version. Blocks.
     *
     * @throws StoreException {@code DAMAGED}, with the file left unchanged, or {@code UNAVAILABLE}; the message has the file's name
     */
    public static Books open(Path folder, List<? extends BookTable<?, ?>> tables) {
        return new Books(SqliteBooks.open(folder, tables), tables);
    }

    /**
     * Opens or creates the books that several daemons share, and upgrades the tables of every book. Every daemon may write, but blocks are written
     * only by the daemon that has begun the last run of background work ({@link #beginRun}). Blocks.
     *
     * @throws StoreException whose message says what to do about the server
     */
    public static Books openShared(Postgres.Connector database, List<? extends BookTable<?, ?>> tables) {
        return new Books(PostgresBooks.open(database, tables, OptionalLong.empty(), Optional.empty()), tables);
    }

    /**
     * Opens the books as {@link #openShared(Postgres.Connector, List)} does, and creates them with the content of the file in {@code
     * folder}, if there is one. The file is then deleted; its cursors remain valid for the books in the database.
     *
     * @param start number of this daemon's start in the store in the same database: it begins a run only while it holds the lease on background work
     * @throws StoreException also when the file is damaged; it is then left unchanged
     */
    public static Books openShared(
            Path folder, Postgres.Connector database, List<? extends BookTable<?, ?>> tables, OptionalLong start) {
        return new Books(PostgresBooks.open(database, tables, start, BooksMove.from(folder)), tables);
    }

    /**
     * Makes each later commit record the newest commit of the money store too, so that restoring the store from an older copy is detected.
     *
     * @param newest called on the writer's thread; empty leaves the recorded commit unchanged
     */
    public void remember(Supplier<Optional<CommitMark>> newest) {
        store = newest;
    }

    /**
     * Reads the commit of the money store that the books in {@code folder} have recorded, without creating or changing them; empty when there are no
     * books or no recorded commit. Blocks.
     */
    public static Optional<CommitMark> remembered(Path folder) {
        return SqliteBooks.at(folder, StoreSeen::read);
    }

    /** Reads the commit recorded by books on a server, as {@link #remembered(Path)} does. */
    public static Optional<CommitMark> remembered(Postgres.Connector database) {
        return PostgresBooks.remembered(database);
    }

    /** Records this commit of a restored store in the books in {@code folder}, if there are any. Blocks. */
    public static void remember(Path folder, CommitMark mark) {
        SqliteBooks.at(folder, session -> {
            if (StoreSeen.isIn(session)) {
                StoreSeen.write(session, mark);
            }
            return Optional.empty();
        });
    }

    /** Lists transactions that spent our coins in blocks from {@code height} on, according to the books in {@code folder}. Blocks. */
    public static List<Hash256> spenders(Path folder, long height) {
        return SqliteBooks.at(folder, session -> Optional.of(StoreSeen.spenders(session, height)))
                .orElse(List.of());
    }

    /**
     * Checks that the books on a server can be moved into a file ({@link #moveBack}), and returns whether there are any. Blocks.
     *
     * @throws StoreException when they cannot be moved; the message says what to do
     */
    public static boolean requireMovable(Postgres.Connector database, List<? extends BookTable<?, ?>> tables) {
        return PostgresBooks.requireMovable(database, tables);
    }

    /**
     * Copies the books on a server into a new file in {@code folder}, with all ids and numbers, so that their cursors remain valid for the file.
     * Nothing may change the books meanwhile. Blocks.
     *
     * @param mark newest commit of the money store, which the file records
     * @return the number of rows; empty when there are no books
     */
    public static OptionalLong moveBack(
            Postgres.Connector database, Path folder, List<? extends BookTable<?, ?>> tables, CommitMark mark) {
        return PostgresBooks.moveBack(database, folder, tables, mark);
    }

    /** Lists transactions as {@link #spenders(Path, long)} does, according to the books on a server; empty when there are no books. */
    public static List<Hash256> spenders(Postgres.Connector database, long height) {
        return PostgresBooks.spenders(database, height);
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs {@code work} in its own transaction; the future completes after the commit, or fails with nothing written. */
    public <T> CompletableFuture<T> write(Work<T> work) {
        return submit(writer, future -> commit(future, work::apply));
    }

    /** Writes for one run of the background work: late writes of a run that has ended fail and change nothing. */
    public final class Epoch {
        private final long number;

        private Epoch(long number) {
            this.number = number;
        }

        /** Writes as {@link Books#write} does; fails once the run has ended, by this daemon or because another daemon has begun a run. */
        public <T> CompletableFuture<T> write(Work<T> work) {
            return Books.this.write(session -> {
                if (!engine.isCurrent(number)) {
                    replaced |= number == engine.run();
                    throw new EpochEnded();
                }
                return work.apply(session);
            });
        }
    }

    private static final class EpochEnded extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EpochEnded() {
            super("the run of background work has ended", null, false, false);
        }
    }

    /** Returns this daemon's last run of background work. */
    public Epoch epoch() {
        return new Epoch(engine.run());
    }

    /** Returns whether another daemon is known to have begun a run since this daemon's last one, so that this daemon's writes are refused. */
    public boolean isReplaced() {
        return replaced;
    }

    /**
     * Begins a run of background work at this daemon; every other run, of any daemon, has ended when the future completes. Fails when this daemon
     * has lost the lease on background work.
     */
    public CompletableFuture<Void> beginRun() {
        return nextRun(false);
    }

    /**
     * Ends this daemon's run: when the future completes, everything passed to its {@link Epoch} before is written, and nothing passed later will be.
     */
    public CompletableFuture<Void> endEpoch() {
        return nextRun(true);
    }

    private CompletableFuture<Void> nextRun(boolean own) {
        return submit(
                writer,
                future -> commit(future, session -> {
                    if (!engine.nextRun(own)) {
                        throw new EpochEnded();
                    }
                    replaced = false;
                    Optional<BooksEngine.Generation> generation = own ? Optional.empty() : engine.generation();
                    generation.ifPresent(next -> tables.forEach(
                            table -> table.beginGeneration(session.head(), next.start(), next.timeline())));
                    return null;
                }));
    }

    public <T> CompletableFuture<T> read(Work<T> work) {
        return submit(reader, future -> readInto(future, work::apply));
    }

    private <T> CompletableFuture<T> submit(ExecutorService thread, Consumer<CompletableFuture<T>> run) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            thread.execute(() -> run.accept(future));
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(unavailable("is closed", e));
        }
        return future;
    }

    /** A unit of internal work, which may fail with {@link SQLException}. */
    @FunctionalInterface
    private interface Unit<T> {
        T apply(BooksSession session) throws SQLException;
    }

    private <T> void commit(CompletableFuture<T> future, Unit<T> work) {
        T result;
        try {
            result = commitWithRetry(work);
        } catch (EpochEnded e) {
            abort();
            future.completeExceptionally(unavailable("is not written: " + e.getMessage(), e));
            return;
        } catch (SQLException | RuntimeException e) {
            abort();
            LOG.error("{} cannot be written: {}", engine.name(), e.getMessage());
            future.completeExceptionally(engine.failure(e));
            return;
        } catch (Error e) {
            // Complete the future before the thread ends.
            abort();
            future.completeExceptionally(unavailable("cannot be written: " + e, e));
            throw e;
        }
        future.complete(result);
    }

    private <T> T commitWithRetry(Unit<T> work) throws SQLException {
        try {
            return commitOnce(work);
        } catch (SQLException | BooksSession.Failure e) {
            if (!engine.isCutOff(e)) {
                throw e;
            }
            abort();
            LOG.warn("{}: connection lost, repeating the transaction: {}", engine.name(), e.getMessage());
            return commitOnce(work);
        }
    }

    private <T> T commitOnce(Unit<T> work) throws SQLException {
        SqlSession session = engine.begin();
        if (writing == null || !writing.isOf(session)) {
            writing = BooksSession.ofWriter(session);
        }
        if (engine.othersWrote()) {
            // Caches are valid only while no other process writes.
            writing.dropCaches();
        }
        T result = work.apply(writing);
        Optional<CommitMark> seen = store.get();
        if (seen.isPresent() && !seen.equals(remembered)) {
            StoreSeen.write(session, seen.get());
        }
        engine.commit();
        remembered = seen;
        return result;
    }

    private void abort() {
        if (writing != null) {
            writing.dropCaches();
        }
        engine.rollback();
    }

    /** Reads in one transaction, so that all queries see the same snapshot. */
    private <T> void readInto(CompletableFuture<T> future, Unit<T> work) {
        try {
            future.complete(readWithRetry(work));
        } catch (SQLException | RuntimeException e) {
            future.completeExceptionally(unavailable("cannot be read: " + e.getMessage(), e));
        } catch (Error e) {
            future.completeExceptionally(unavailable("cannot be read: " + e, e));
            throw e;
        }
    }

    private <T> T readWithRetry(Unit<T> work) throws SQLException {
        try {
            return readOnce(work);
        } catch (SQLException | BooksSession.Failure e) {
            if (!engine.isReadingCutOff(e)) {
                throw e;
            }
            return readOnce(work);
        }
    }

    private <T> T readOnce(Unit<T> work) throws SQLException {
        SqlSession session = engine.beginReading();
        if (reading == null || !reading.isOf(session)) {
            reading = BooksSession.ofReader(session);
        }
        T result;
        try {
            result = work.apply(reading);
        } catch (SQLException | RuntimeException | Error e) {
            try {
                engine.endReading();
            } catch (SQLException ending) {
                e.addSuppressed(ending);
            }
            throw e;
        }
        engine.endReading();
        return result;
    }

    /** Returns whether other daemons may write as well. */
    public boolean isShared() {
        return watch.isPresent();
    }

    /**
     * Starts polling, ten times a second, for writes of any daemon. Does nothing for books that are not shared: their daemon knows of its own
     * writes.
     *
     * @param listener receives the newest known head, then each newer one, one at a time on one thread; must not block
     * @return removes the listener
     */
    public Runnable whenChanged(Consumer<BooksWatch.Head> listener) {
        return watch.map(all -> all.listen(listener)).orElse(() -> {});
    }

    /** Polls immediately for the changes that {@link #whenChanged} reports, because another daemon has announced a write. Does not block. */
    public void hint() {
        watch.ifPresent(BooksWatch::hint);
    }

    /** Returns for how many milliseconds polling has failed because the books do not answer; 0 while they do. */
    public long unseenMillis() {
        return watch.map(BooksWatch::unseenMillis).orElse(0L);
    }

    /** Returns why nothing can be written at the moment, as far as known without trying. */
    public Optional<StoreException> away() {
        return unseenMillis() == 0
                ? Optional.empty()
                : Optional.of(StoreException.busy(engine.name() + " cannot be reached at this moment, try again"));
    }

    private StoreException unavailable(String what, Throwable cause) {
        return StoreException.unavailable(engine.name() + " " + what, cause);
    }

    /** Finishes the queued reads and writes, then closes the file. Blocks. */
    @Override
    public void close() {
        watch.ifPresent(BooksWatch::close);
        reader.shutdown();
        writer.shutdown();
        try {
            if (!writer.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)
                    || !reader.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("{}: work under way did not end in time", engine.name());
                return;
            }
            engine.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            LOG.warn("{}: {}", engine.name(), e.getMessage());
        }
    }
}
