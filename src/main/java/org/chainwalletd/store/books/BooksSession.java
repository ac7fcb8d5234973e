package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Bytes32;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.store.sql.SqlSession;

/** The connection of a reader or of the writer inside one transaction; database failures are unchecked exceptions. Used by one thread at a time. */
public final class BooksSession {
    private final SqlSession sql;
    private final boolean writes;
    private final Map<Class<?>, Object> caches = new HashMap<>();

    private BooksSession(SqlSession sql, boolean writes) {
        this.sql = sql;
        this.writes = writes;
    }

    static BooksSession ofReader(SqlSession sql) {
        return new BooksSession(sql, false);
    }

    static BooksSession ofWriter(SqlSession sql) {
        return new BooksSession(sql, true);
    }

    /** Failure of the database inside a unit of work. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** Returns the rows of one scan. */
    public Page page(long scan) {
        return new Page(this, scan);
    }

    /** Returns the rows of the head, which all readers see. */
    public Page head() {
        return page(Page.HEAD);
    }

    /** Tells whether this session uses the connection. */
    boolean isOf(SqlSession connection) {
        return sql == connection;
    }

    /** Tells whether this is the writer's session; only its caches see all changes. */
    boolean isWriter() {
        return writes;
    }

    /** Returns a table's row cache, which outlives the unit of work; creates it if absent. */
    public <T> T cached(Class<T> kind, Function<BooksSession, T> make) {
        return kind.cast(caches.computeIfAbsent(kind, absent -> make.apply(this)));
    }

    /** Returns a table's row cache, if it exists. */
    <T> Optional<T> ifCached(Class<T> kind) {
        return Optional.ofNullable(kind.cast(caches.get(kind)));
    }

    /** Drops the cache of this kind. */
    void dropCache(Class<?> kind) {
        caches.remove(kind);
    }

    /** Drops all caches, which may be stale: a unit of work was rolled back, or another writer has changed rows. */
    void dropCaches() {
        caches.clear();
    }

    /** Returns the text of every statement that was executed without failing. */
    Set<String> statements() {
        return sql.statements();
    }

    /** Tells whether other daemons use the same rows. */
    public boolean isShared() {
        return sql.isRemote();
    }

    /** Returns the values of columns for values of the domain: two for an outpoint (id, index) and for a block (height, id). */
    private static Object[] columns(Object... values) {
        List<Object> columns = new ArrayList<>(values.length);
        for (Object value : values) {
            if (value instanceof Outpoint outpoint) {
                columns.add(outpoint.txId().toArray());
                columns.add(outpoint.index());
            } else if (value instanceof BlockPlace place) {
                columns.add(place.height());
                columns.add(place.blockId().toArray());
            } else if (value instanceof Bytes32<?> bytes) {
                columns.add(bytes.toArray());
            } else if (value instanceof Bytes bytes) {
                columns.add(bytes.toArray());
            } else if (value instanceof Amount amount) {
                columns.add(amount.bits());
            } else if (value instanceof Boolean flag) {
                columns.add(flag ? 1 : 0);
            } else {
                columns.add(value);
            }
        }
        return columns.toArray();
    }

    void update(String text, Object... values) {
        try {
            sql.defer(text, columns(values));
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    int updated(String text, Object... values) {
        try {
            return sql.update(text, columns(values));
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    <T> List<T> query(String text, SqlSession.RowReader<T> reader, Object... values) {
        try {
            return sql.query(text, reader, columns(values));
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    void visit(String text, SqlSession.Visitor<Row> visitor, Object... values) {
        try {
            sql.visit(text, visitor, columns(values));
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }

    <T> Optional<T> queryOne(String text, SqlSession.RowReader<T> reader, Object... values) {
        try {
            return sql.queryOne(text, reader, columns(values));
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }
}
