package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.SqlSession;

/**
 * The rows of one scan, inside one transaction. Failures of the database are unchecked here and end the whole transaction.
 *
 * @param scan {@link #HEAD}, or the number of a rescan whose rows nobody sees yet
 */
public record Page(BooksSession session, long scan) {
    /** The rows that are known from the followed tip downwards: what everybody reads. */
    public static final long HEAD = 0;

    public boolean isHead() {
        return scan == HEAD;
    }

    /** @return the number of changed rows */
    public int update(String sql, Object... values) {
        return session.update(sql, values);
    }

    public <T> List<T> query(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.query(sql, reader, values);
    }

    public <T> Optional<T> queryOne(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.queryOne(sql, reader, values);
    }
}
