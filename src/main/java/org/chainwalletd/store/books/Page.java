package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.sql.SqlSession;

/**
 * The rows of one scan, inside one transaction. Database failures are unchecked exceptions and abort the whole transaction.
 *
 * @param scan {@link #HEAD}, or the number of a rescan whose rows are not visible to readers yet
 */
public record Page(BooksSession session, long scan) {
    /** Scan number of the rows of the followed chain, which all readers see. */
    public static final long HEAD = 0;

    public boolean isHead() {
        return scan == HEAD;
    }

    /** Runs a modifying statement, possibly deferred until the next query. */
    public void update(String sql, Object... values) {
        session.update(sql, values);
    }

    /** Runs a modifying statement immediately; returns the number of rows changed. */
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

    /** Returns the number in the first column of the first row, which must exist. */
    public long number(String sql, Object... values) {
        return ifNumber(sql, values).orElseThrow();
    }

    /** Returns the number in the first column of the first row; empty without a row. */
    public OptionalLong ifNumber(String sql, Object... values) {
        return query(sql, row -> row.getLong(1), values).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }
}
