package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;

/** Copies tables from an SQLite file to a server, or back. */
public final class TableCopy {
    private static final int ROWS_IN_STATEMENT = 200;

    private TableCopy() {}

    /**
     * Replaces the rows of a table of the server by those of a table in a file, including ids and numbers, in a transaction that the caller has
     * begun.
     *
     * @return the number of rows
     * @throws SQLException also when the number of rows on the server differs afterwards
     */
    public static long copy(SqlSession file, String from, SqlSession server, String to) throws SQLException {
        List<String> columns = columns(file, from);
        Insertion insertion = new Insertion(server, to, columns);
        file.visit("SELECT " + String.join(", ", columns) + " FROM " + from, insertion::add);
        insertion.send();
        requireEqual(from, insertion.rows, count(server, to));
        continueNumbers(file, from, server, to);
        server.execute("ANALYZE " + to);
        return insertion.rows;
    }

    /**
     * Replaces the rows of a table of a file by those of a table on a server, including ids and numbers, in transactions that the caller has begun on
     * both sides.
     *
     * @return the number of rows
     * @throws SQLException also when the number of rows in the file differs afterwards
     */
    public static long back(SqlSession server, String from, SqlSession file, String to) throws SQLException {
        List<String> columns = columns(file, to);
        Insertion insertion = new Insertion(file, to, columns);
        // A cursor, because otherwise the driver reads all rows of a query into memory.
        server.execute(
                "DECLARE moved_rows NO SCROLL CURSOR FOR SELECT " + String.join(", ", columns) + " FROM " + from);
        long before;
        do {
            before = insertion.rows;
            server.visit("FETCH " + ROWS_IN_STATEMENT + " FROM moved_rows", insertion::add);
        } while (insertion.rows == before + ROWS_IN_STATEMENT);
        insertion.send();
        server.execute("CLOSE moved_rows");
        requireEqual(from, insertion.rows, count(server, from));
        requireEqual(from, insertion.rows, count(file, to));
        continueNumbersBack(server, from, file, to);
        return insertion.rows;
    }

    private static List<String> columns(SqlSession file, String table) throws SQLException {
        return file.query("SELECT name FROM pragma_table_info(?) ORDER BY cid", row -> row.getString(1), table);
    }

    /** Inserts rows into a table, many with each statement, after deleting those that it has. */
    private static final class Insertion {
        private final SqlSession session;
        private final String insert;
        private final String places;
        private final int columns;
        private final List<Object> values = new ArrayList<>();
        private long rows;

        Insertion(SqlSession session, String table, List<String> columns) throws SQLException {
            this.session = session;
            this.insert = "INSERT INTO " + table + " (" + String.join(", ", columns) + ") VALUES ";
            this.places = "(" + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")";
            this.columns = columns.size();
            session.update("DELETE FROM " + table);
        }

        void add(Row row) throws SQLException {
            for (int column = 1; column <= columns; column++) {
                values.add(row.value(column));
            }
            if (++rows % ROWS_IN_STATEMENT == 0) {
                send();
            }
        }

        void send() throws SQLException {
            if (!values.isEmpty()) {
                session.update(
                        insert + String.join(", ", Collections.nCopies(values.size() / columns, places)),
                        values.toArray());
                values.clear();
            }
        }
    }

    /** Connects to the server with a timeout that allows for counting the rows of a table. */
    static SqlSession connect(Postgres.Connector database) throws SQLException {
        return new PostgresStore.Primary(database, PostgresStore.COMMAND_MILLIS).session();
    }

    /** Lists the tables of a file in the order of their creation. */
    static List<String> tables(SqlSession file) throws SQLException {
        return file.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
                row -> row.getString(1));
    }

    static long count(SqlSession session, String table) throws SQLException {
        return session.number("SELECT COUNT(*) FROM " + table);
    }

    private static void requireEqual(String from, long rows, long there) throws SQLException {
        if (there != rows) {
            throw new SQLException(rows + " rows of " + from + " became " + there);
        }
    }

    /** Prevents the file from assigning numbers that the server has assigned, where the table keeps the last one. */
    private static void continueNumbersBack(SqlSession server, String from, SqlSession file, String to)
            throws SQLException {
        Optional<String> numbered = file.queryOne(
                "SELECT (SELECT name FROM pragma_table_info(?1) WHERE pk = 1) FROM sqlite_master"
                        + " WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%'",
                row -> row.getString(1), to);
        if (numbered.isEmpty()) {
            return;
        }
        String sequence = server.queryOne(
                        "SELECT pg_get_serial_sequence(?, ?)", row -> row.getString(1), from, numbered.get())
                .orElseThrow();
        long given = server.number("SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM " + sequence);
        file.update("DELETE FROM sqlite_sequence WHERE name = ?", to);
        file.update(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?, max(?, (SELECT coalesce(max(" + numbered.get()
                        + "), 0) FROM " + to + "))",
                to,
                given);
    }

    /** Prevents the server from assigning numbers that the file has assigned, including those of deleted rows. */
    private static void continueNumbers(SqlSession file, String from, SqlSession server, String to)
            throws SQLException {
        Optional<String> numbered = server.queryOne(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema()"
                        + " AND table_name = ? AND is_identity = 'YES'",
                row -> row.getString(1),
                to);
        if (numbered.isEmpty()) {
            return;
        }
        long given = Sqlite.hasTable(file, "sqlite_sequence")
                ? file.ifNumber("SELECT seq FROM sqlite_sequence WHERE name = ?", from)
                        .orElse(0L)
                : 0;
        server.query(
                "SELECT setval(pg_get_serial_sequence(?, ?), GREATEST(?, (SELECT COALESCE(MAX(" + numbered.get()
                        + "), 0) FROM " + to + ")) + 1, false)",
                row -> true,
                to,
                numbered.get(),
                given);
    }
}
