package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;

/** Copies tables of an SQLite file to a server. */
public final class TableCopy {
    private static final int ROWS_IN_STATEMENT = 200;

    private TableCopy() {}

    /**
     * Replaces the rows of a table of the server by those of one in a file, with their ids and numbers, in a transaction that the caller has begun.
     *
     * @return the number of rows
     * @throws SQLException also when the server has another number of rows in the end
     */
    public static long copy(SqlSession file, String from, SqlSession server, String to) throws SQLException {
        List<String> columns =
                file.query("SELECT name FROM pragma_table_info(?) ORDER BY cid", row -> row.getString(1), from);
        String insert = "INSERT INTO " + to + " (" + String.join(", ", columns) + ") VALUES ";
        String places = "(" + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")";
        server.update("DELETE FROM " + to);
        List<Object> values = new ArrayList<>();
        long[] rows = {0};
        file.visit("SELECT " + String.join(", ", columns) + " FROM " + from, row -> {
            for (int column = 1; column <= columns.size(); column++) {
                values.add(row.value(column));
            }
            if (++rows[0] % ROWS_IN_STATEMENT == 0) {
                server.update(
                        insert + String.join(", ", Collections.nCopies(ROWS_IN_STATEMENT, places)), values.toArray());
                values.clear();
            }
        });
        if (!values.isEmpty()) {
            int rest = (int) (rows[0] % ROWS_IN_STATEMENT);
            server.update(insert + String.join(", ", Collections.nCopies(rest, places)), values.toArray());
        }
        long there = server.queryOne("SELECT COUNT(*) FROM " + to, row -> row.getLong(1))
                .orElseThrow();
        if (there != rows[0]) {
            throw new SQLException(rows[0] + " rows of " + from + " became " + there);
        }
        continueNumbers(file, from, server, to);
        server.execute("ANALYZE " + to);
        return rows[0];
    }

    /** Lets the server give no number again that the file has given, also to rows that were deleted. */
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
                ? file.queryOne("SELECT seq FROM sqlite_sequence WHERE name = ?", row -> row.getLong(1), from)
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
