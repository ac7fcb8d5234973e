package org.chainwalletd.store.books;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.files.FileFailures;
import org.chainwalletd.store.postgres.TableCopy;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the books from a datadir's file to a server: every row with its ids and numbers, so that clients' cursors stay valid and nothing is read
 * from the chain again. All rows are copied in the transaction that creates the tables; the file is deleted after its commit. An interrupted move
 * starts again, or only the deletion of the file remains.
 */
final class BooksMove {
    private static final Logger LOG = LoggerFactory.getLogger(BooksMove.class);
    /** Tables of the file; the log of HTLC changes comes last, because a trigger writes to it when HTLC rows are inserted. */
    private static final String TABLES =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
                    + " AND name <> 'book_versions' ORDER BY name = 'htlc_changes', rowid";

    private final Path folder;
    private final Path file;

    private BooksMove(Path folder) {
        this.folder = folder;
        this.file = folder.resolve(SqliteBooks.FILE_NAME);
    }

    /** Returns the move from the file in {@code folder}; empty when there is none. */
    static Optional<BooksMove> from(Path folder) {
        BooksMove move = new BooksMove(folder);
        return Files.exists(move.file) ? Optional.of(move) : Optional.empty();
    }

    /** Checks the file, and upgrades its tables to those of the server. */
    void prepare(List<? extends BookTable<?, ?>> tables) {
        try {
            SqliteBooks.open(folder, tables).close();
        } catch (SQLException e) {
            throw Sqlite.unusable(file, e);
        }
    }

    /**
     * Fills the tables of a server, which were created in the same transaction.
     *
     * @param names maps table names
     */
    void run(SqlSession server, UnaryOperator<String> names) throws SQLException {
        long all = SqliteBooks.at(folder, session -> {
                    long rows = 0;
                    for (String table : session.query(TABLES, row -> row.getString(1))) {
                        rows += TableCopy.copy(session, table, server, names.apply(table));
                    }
                    return Optional.of(rows);
                })
                .orElseThrow();
        LOG.info("moved {} rows of {} to the database", all, file);
    }

    /**
     * Fills a new file in {@code folder} with the rows of a server, and returns the number of rows. Nothing may change them meanwhile.
     *
     * @param names maps table names
     * @param mark newest commit of the money store, which the file records
     */
    static long back(
            SqlSession server,
            UnaryOperator<String> names,
            Path folder,
            List<? extends BookTable<?, ?>> tables,
            CommitMark mark)
            throws SQLException {
        SqliteBooks books = SqliteBooks.open(folder, tables);
        long rows = 0;
        try {
            SqlSession writing = books.begin();
            for (String table : writing.query(TABLES, row -> row.getString(1))) {
                rows += TableCopy.back(server, names.apply(table), writing, table);
            }
            BookSchema.StoreSeen.write(writing, mark);
            BooksSession session = BooksSession.ofWriter(writing);
            tables.forEach(table -> table.leaveServer(session.head()));
            books.commit();
        } finally {
            books.close();
        }
        return rows;
    }

    /** Deletes the file after the server has all its rows; from then on the books exist only in the database. */
    void deleteFile() {
        CrashPoint.BOOKS_MOVED.reached();
        try {
            // Delete the WAL first: a WAL without its file would be applied to the next file.
            for (String suffix : List.of("-wal", "-shm", "")) {
                AtomicFiles.delete(folder.resolve(SqliteBooks.FILE_NAME + suffix));
            }
            LOG.info("{} is deleted: the database has the books", file);
        } catch (IOException e) {
            throw StoreException.unavailable(
                    file + " cannot be deleted, although the books are in the database: " + FileFailures.describe(e),
                    e);
        }
    }
}
