package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.SqlSession;

/** The connection of a reader or of the writer inside one transaction; its failures are unchecked. Used by one thread at a time. */
public final class BooksSession {
    private final SqlSession sql;

    BooksSession(SqlSession sql) {
        this.sql = sql;
    }

    /** What SQLite refuses inside a unit of work. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** The rows of one scan. */
    public Page page(long scan) {
        return new Page(this, scan);
    }

    /** The rows that everybody sees. */
    public Page head() {
        return page(Page.HEAD);
    }

    int update(String text, Object... values) {
        try {
            return sql.update(text, values);
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    <T> List<T> query(String text, SqlSession.RowReader<T> reader, Object... values) {
        try {
            return sql.query(text, reader, values);
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    <T> Optional<T> queryOne(String text, SqlSession.RowReader<T> reader, Object... values) {
        try {
            return sql.queryOne(text, reader, values);
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }
}
