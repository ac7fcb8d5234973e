package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.sql.SqlSession;

/**
 * The rows of one scan, inside one transaction. Failures of the database are unchecked exceptions here and end the whole transaction.
 *
 * @param scan {@link #HEAD}, or the number of a rescan whose rows no reader sees yet
 */
public record Page(BooksSession session, long scan) {
    /** Scan number of the rows known from the followed tip downwards, which all readers see. */
    public static final long HEAD = 0;

    public boolean isHead() {
        return scan == HEAD;
    }

    /** Runs a statement that changes rows, before the next query at the latest. */
    public void update(String sql, Object... values) {
        session.update(sql, values);
    }

    /** Runs a statement that changes rows, and returns how many it has changed. */
    int updated(String sql, Object... values) {
        return session.updated(sql, values);
    }

    public <T> List<T> query(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.query(sql, reader, values);
    }

    public <T> Optional<T> queryOne(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.queryOne(sql, reader, values);
    }

    /** Tells whether a query finds a row. */
    public boolean has(String sql, Object... values) {
        return queryOne(sql, row -> true, values).isPresent();
    }

    /** Returns the number in the only column of the first row, which there is. */
    public long number(String sql, Object... values) {
        return ifNumber(sql, values).orElseThrow();
    }

    /** Returns the number in the only column of the first row, when there is a row. */
    public OptionalLong ifNumber(String sql, Object... values) {
        return query(sql, row -> row.getLong(1), values).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }
}
