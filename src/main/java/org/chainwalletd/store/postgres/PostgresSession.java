package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.SqlSession;

/** Session separate from those of the money store, opened on demand and reopened after each failure. Blocks; used by one thread at a time. */
final class PostgresSession implements AutoCloseable {
    private final String name;
    private final Postgres.Connector connector;
    /** Null while not connected. */
    private SqlSession session;

    /**
     * @param name of the database, used in error messages, without a password
     * @param connector of sessions with the primary that time out when it does not respond
     */
    PostgresSession(String name, Postgres.Connector connector) {
        this.name = name;
        this.connector = connector;
    }

    /** Runs statements, each in its own transaction unless {@code work} begins one; fails with {@link StoreException}. */
    <T> T run(GroupCommitWriter.Work<T> work) {
        try {
            if (session == null) {
                session = new SqlSession(connector.connect(), Postgres.DIALECT);
            }
            return work.apply(session);
        } catch (SQLException e) {
            close();
            throw GroupCommitWriter.unavailable(name, e.getMessage(), e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        Postgres.close(session);
        session = null;
    }
}
