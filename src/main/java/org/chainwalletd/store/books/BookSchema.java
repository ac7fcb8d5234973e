package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;

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
        for (Map.Entry<String, List<List<String>>> book : steps(tables).entrySet()) {
            migrate(session, file, book.getKey(), book.getValue());
        }
    }

    /** Returns the steps of every book by its name, in the order of execution. */
    private static Map<String, List<List<String>>> steps(List<? extends BookTable<?, ?>> tables) {
        Map<String, List<List<String>>> steps = new LinkedHashMap<>();
        steps.put(BlockRows.NAME, BlockRows.STEPS);
        steps.put(AddressRows.NAME, AddressRows.STEPS);
        steps.put(StoreSeen.NAME, StoreSeen.STEPS);
        tables.forEach(table -> steps.put(table.name(), table.steps()));
        return steps;
    }

    /**
     * Creates the tables on a server as the steps leave them in a file, or upgrades them by the missing steps; inside a transaction that excludes
     * all others.
     *
     * @param own statements that create the tables which only a server has
     * @param definition translates a statement of a step
     * @return whether the tables were created
     */
    static boolean migrateServer(
            SqlSession session,
            String name,
            List<? extends BookTable<?, ?>> tables,
            List<String> own,
            UnaryOperator<String> definition)
            throws SQLException {
        Map<String, List<List<String>>> steps = steps(tables);
        boolean made = Schema.isOnServer(session, "book_versions");
        if (!made) {
            List<String> whole = new ArrayList<>(Sqlite.definitions(file -> migrate(file, name, tables)));
            whole.replaceAll(definition);
            whole.addAll(own);
            tables.forEach(table -> whole.addAll(table.onServer()));
            for (String statement : whole) {
                session.execute(statement);
            }
        }
        for (Map.Entry<String, List<List<String>>> book : steps.entrySet()) {
            int known = book.getValue().size();
            // Daemons of one release may run beside those of the next one, whose steps only add to the tables.
            int version = made ? version(session, name, book.getKey(), known, known + 1) : known;
            List<String> upgrade = book.getValue().subList(Math.min(version, known), known).stream()
                    .flatMap(List::stream)
                    .map(definition)
                    .toList();
            Schema.upgradeServer(session, "the books " + name, upgrade);
            put(session, book.getKey(), Math.max(version, known));
        }
        return !made;
    }

    /** Returns whether the tables on a server have the versions of this release. */
    static boolean isNewest(SqlSession server, List<? extends BookTable<?, ?>> tables) throws SQLException {
        Map<String, Long> versions = new HashMap<>();
        server.visit(
                "SELECT book, version FROM book_versions",
                row -> versions.put(row.text("book"), row.number("version")));
        return steps(tables).entrySet().stream()
                .allMatch(book -> Objects.equals(
                        versions.get(book.getKey()), (long) book.getValue().size()));
    }

    private static void requireOurs(SqlSession session, String file) throws SQLException {
        if (Sqlite.number(session, "application_id") != APPLICATION_ID && !Sqlite.isEmpty(session)) {
            throw StoreException.damaged(file + " is a database of another program, not this daemon's");
        }
    }

    private static void migrate(SqlSession session, String file, String book, List<List<String>> steps)
            throws SQLException {
        int version = version(session, file, book, steps.size(), steps.size());
        for (int next = version; next < steps.size(); next++) {
            session.execute("BEGIN IMMEDIATE");
            for (String statement : steps.get(next)) {
                session.execute(statement);
            }
            put(session, book, next + 1);
            session.execute("COMMIT");
        }
    }

    private static void put(SqlSession session, String book, int version) throws SQLException {
        session.update(
                "INSERT INTO book_versions (book, version) VALUES (?, ?) ON CONFLICT (book) DO UPDATE SET version = excluded.version",
                book,
                version);
    }

    private static int version(SqlSession session, String file, String book, int known, int highest)
            throws SQLException {
        int version = session.queryOne("SELECT version FROM book_versions WHERE book = ?", row -> row.getInt(1), book)
                .orElse(0);
        if (version > highest) {
            throw StoreException.damaged(file + " has version " + version + " of " + book
                    + ", written by a newer release; this one knows up to " + known);
        }
        return version;
    }

    /** The table {@code store_seen}: the newest commit of the money store at the last write of the books. */
    static final class StoreSeen {
        static final String NAME = "store";

        static final List<List<String>> STEPS =
                List.of(List.of("CREATE TABLE store_seen (one INTEGER PRIMARY KEY CHECK (one = 1), store TEXT NOT NULL,"
                        + " opening INTEGER NOT NULL, number INTEGER NOT NULL)"));

        private StoreSeen() {}

        /**
         * Records a commit, unless it is older than the recorded one of the same store: a daemon that had nothing to write may name an older commit.
         */
        static void write(SqlSession session, CommitMark mark) throws SQLException {
            session.update(
                    "INSERT INTO store_seen (one, store, opening, number) VALUES (1, ?, ?, ?) ON CONFLICT (one) DO UPDATE"
                            + " SET store = excluded.store, opening = excluded.opening, number = excluded.number"
                            + " WHERE store_seen.store <> excluded.store OR store_seen.number <= excluded.number",
                    mark.store(),
                    mark.opening(),
                    mark.number());
        }

        /** Returns whether the file was written by a release that records commits. */
        static boolean isIn(SqlSession session) throws SQLException {
            return Sqlite.hasTable(session, "store_seen");
        }

        static Optional<CommitMark> read(SqlSession session) throws SQLException {
            return isIn(session) ? newest(session) : Optional.empty();
        }

        static Optional<CommitMark> newest(SqlSession session) throws SQLException {
            return session.queryOne(
                    "SELECT store, opening, number FROM store_seen WHERE one = 1",
                    row -> new CommitMark(row.getString(1), row.getLong(2), row.getLong(3)));
        }

        /** Lists the transactions that spent one of our coins at this height or above, in the order of the chain. */
        static List<Hash256> spenders(SqlSession session, long height) throws SQLException {
            return session.query(
                    "SELECT spent_by FROM spendings WHERE scan = 0 AND height >= ? GROUP BY spent_by ORDER BY min(height)",
                    row -> Hash256.of(row.getBytes(1)),
                    height);
        }
    }
}
