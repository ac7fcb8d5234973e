package org.chainwalletd.store.books;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file {@code books.db} (0600) of one daemon, in WAL mode with an fsync per commit. */
final class SqliteBooks implements BooksEngine {
    static final String FILE_NAME = "books.db";

    private static final Logger LOG = LoggerFactory.getLogger(SqliteBooks.class);
    /**
     * Page size in bytes, the smallest possible: a block changes about fourteen B-trees, and each changed page is written to the WAL as a whole.
     * Files of older releases keep their page size.
     */
    private static final int PAGE_SIZE = 512;

    private final String file;
    private final SqlSession writing;
    private final SqlSession reading;
    /** SQLite's data_version, which changes when another connection has written. */
    private long othersWrote;

    private final AtomicLong run = new AtomicLong();

    private SqliteBooks(String file, SqlSession writing, SqlSession reading) {
        this.file = file;
        this.writing = writing;
        this.reading = reading;
    }

    /** Opens or creates the file in {@code folder}, and upgrades its tables. */
    static SqliteBooks open(Path folder, List<? extends BookTable<?, ?>> tables) {
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
            return new SqliteBooks(path.toString(), write, Sqlite.connect(path));
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    @FunctionalInterface
    interface Query<T> {
        Optional<T> at(SqlSession session) throws SQLException;
    }

    /** Queries the file in {@code folder}, without creating or upgrading it; empty when there is none. */
    static <T> Optional<T> at(Path folder, Query<T> query) {
        Path path = folder.resolve(FILE_NAME).toAbsolutePath();
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (SqlSession session = Sqlite.connect(path)) {
            Sqlite.requireWhole(path);
            return query.at(session);
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    private static void check(SqlSession session, Path path) throws SQLException {
        Optional<String> damage = Sqlite.damage(session);
        if (damage.isPresent()) {
            throw StoreException.damaged(path + " is damaged: " + damage.get()
                    + "; restore it from a backup, or move it away: it is then built anew from the chain");
        }
    }

    @Override
    public String name() {
        return file;
    }

    @Override
    public SqlSession begin() throws SQLException {
        writing.update("BEGIN IMMEDIATE");
        return writing;
    }

    @Override
    public boolean othersWrote() throws SQLException {
        long before = othersWrote;
        othersWrote = Sqlite.number(writing, "data_version");
        return othersWrote != before;
    }

    @Override
    public void commit() throws SQLException {
        writing.update("COMMIT");
    }

    @Override
    public void rollback() {
        try {
            writing.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            // After some errors SQLite has already rolled back, and no transaction is left.
            LOG.debug("{}: nothing to roll back: {}", file, e.getMessage());
        }
    }

    @Override
    public StoreException failure(Exception e) {
        return StoreException.unavailable(file + " cannot be written: " + e.getMessage(), e);
    }

    @Override
    public SqlSession beginReading() throws SQLException {
        reading.beginReading();
        return reading;
    }

    @Override
    public void endReading() throws SQLException {
        reading.update("COMMIT");
    }

    @Override
    public long run() {
        return run.get();
    }

    @Override
    public boolean isCurrent(long number) {
        return run.get() == number;
    }

    @Override
    public boolean nextRun(boolean own) {
        run.incrementAndGet();
        return true;
    }

    @Override
    public void close() throws SQLException {
        reading.close();
        writing.close();
    }
}
