package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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

    public Page page(long scan) {
        return new Page(this, scan);
    }

    /** Returns the rows of the head, which all readers see. */
    public Page head() {
        return page(Page.HEAD);
    }

    boolean isOf(SqlSession connection) {
        return sql == connection;
    }

    /** Returns whether this is the writer's session; only its caches see all changes. */
    boolean isWriter() {
        return writes;
    }

    /** Returns a table's row cache, which outlives the unit of work; creates it if absent. */
    public <T> T cached(Class<T> kind, Function<BooksSession, T> make) {
        return kind.cast(caches.computeIfAbsent(kind, absent -> make.apply(this)));
    }

    <T> Optional<T> ifCached(Class<T> kind) {
        return Optional.ofNullable(kind.cast(caches.get(kind)));
    }

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

    /** Returns whether other daemons use the same rows. */
    public boolean isShared() {
        return sql.isRemote();
    }

    @FunctionalInterface
    interface Statements<T> {
        T run(SqlSession sql) throws SQLException;
    }

    <T> T run(Statements<T> statements) {
        try {
            return statements.run(sql);
        } catch (SQLException e) {
            throw new Failure(e);
        }
    }
}
