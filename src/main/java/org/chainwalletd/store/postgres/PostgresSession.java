package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.SqlSession;

/** A session beside those of the money store, which is opened when it is needed, and anew after each failure. For one thread at a time, which blocks. */
final class PostgresSession implements AutoCloseable {
    private final String name;
    private final Postgres.Connector connector;
    /** Null as long as it is not connected. */
    private SqlSession session;

    /**
     * @param name of the database for messages about failures, without a password
     * @param connector of sessions with the primary that end by themselves when it does not answer
     */
    PostgresSession(String name, Postgres.Connector connector) {
        this.name = name;
        this.connector = connector;
    }

    /** Runs statements, each of which is a transaction unless {@code work} begins one; fails with {@link StoreException}. */
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
