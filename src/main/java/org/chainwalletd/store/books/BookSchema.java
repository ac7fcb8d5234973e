package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.SqlSession;
import org.chainwalletd.store.Sqlite;
import org.chainwalletd.store.StoreException;

/** Versions of each book's tables, and the upgrade of older files. */
final class BookSchema {
    /** Application id in the file's header that marks it as the books of this daemon ("WDBK"). */
    private static final long APPLICATION_ID = 0x5744424bL;

    private static final String VERSIONS =
            "CREATE TABLE IF NOT EXISTS book_versions (book TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID";

    private BookSchema() {}

    /** Upgrades every book to its newest version, each step in its own transaction. */
    static void migrate(SqlSession session, String file, List<? extends BookTable<?, ?>> tables) throws SQLException {
        requireOurs(session, file);
        session.execute(VERSIONS);
        session.execute("PRAGMA application_id = " + APPLICATION_ID);
        migrate(session, file, BlockRows.NAME, BlockRows.STEPS);
        migrate(session, file, AddressRows.NAME, AddressRows.STEPS);
        migrate(session, file, StoreSeen.NAME, StoreSeen.STEPS);
        for (BookTable<?, ?> table : tables) {
            migrate(session, file, table.name(), table.steps());
        }
    }

    private static void requireOurs(SqlSession session, String file) throws SQLException {
        if (Sqlite.number(session, "application_id") != APPLICATION_ID && !Sqlite.isEmpty(session)) {
            throw new StoreException(
                    StoreException.Reason.DAMAGED, file + " is a database of another program, not this daemon's", null);
        }
    }

    private static void migrate(SqlSession session, String file, String book, List<List<String>> steps)
            throws SQLException {
        int version = session.queryOne("SELECT version FROM book_versions WHERE book = ?", row -> row.getInt(1), book)
                .orElse(0);
        if (version > steps.size()) {
            throw new StoreException(
                    StoreException.Reason.DAMAGED,
                    file + " has version " + version + " of " + book
                            + ", written by a newer release; this one knows up to " + steps.size(),
                    null);
        }
        for (int next = version; next < steps.size(); next++) {
            session.execute("BEGIN IMMEDIATE");
            for (String statement : steps.get(next)) {
                session.execute(statement);
            }
            session.update("INSERT OR REPLACE INTO book_versions (book, version) VALUES (?, ?)", book, next + 1);
            session.execute("COMMIT");
        }
    }

    /** The table {@code store_seen}: the newest commit of the money store when the books were written last. */
    static final class StoreSeen {
        static final String NAME = "store";

        static final List<List<String>> STEPS =
                List.of(List.of("CREATE TABLE store_seen (one INTEGER PRIMARY KEY CHECK (one = 1), store TEXT NOT NULL,"
                        + " opening INTEGER NOT NULL, number INTEGER NOT NULL)"));

        private StoreSeen() {}

        static void write(SqlSession session, CommitMark mark) throws SQLException {
            session.update(
                    "INSERT OR REPLACE INTO store_seen (one, store, opening, number) VALUES (1, ?, ?, ?)",
                    mark.store(),
                    mark.opening(),
                    mark.number());
        }

        /** Tells whether the file was written by a release that remembers commits. */
        static boolean isIn(SqlSession session) throws SQLException {
            return Sqlite.hasTable(session, "store_seen");
        }

        static Optional<CommitMark> read(SqlSession session) throws SQLException {
            return isIn(session)
                    ? session.queryOne(
                            "SELECT store, opening, number FROM store_seen WHERE one = 1",
                            row -> new CommitMark(row.getString(1), row.getLong(2), row.getLong(3)))
                    : Optional.empty();
        }

        /** Lists the transactions that spent a coin of ours at this height or above, in the order of the chain. */
        static List<Hash256> spenders(SqlSession session, long height) throws SQLException {
            return session.query(
                    "SELECT spent_by FROM spendings WHERE scan = 0 AND height >= ? GROUP BY spent_by ORDER BY min(height)",
                    row -> Hash256.of(row.getBytes(1)),
                    height);
        }
    }
}
