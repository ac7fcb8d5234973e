package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.SqlSession;

/** Session separate from those of the money store, opened on demand and reopened after each failure. Blocks; used by one thread at a time. */
final class PostgresSession implements AutoCloseable {
    private final Postgres.Connector database;
    /** Null while not connected. */
    private SqlSession session;

    /**
     * @param database whose connections time out when it does not respond
     */
    PostgresSession(Postgres.Connector database) {
        this.database = database;
    }

    /** Runs statements, each in its own transaction unless {@code work} begins one; fails with {@link StoreException}. */
    <T> T run(GroupCommitWriter.Work<T> work) {
        try {
            if (session == null) {
                session = database.session();
            }
            return work.apply(session);
        } catch (SQLException e) {
            close();
            throw GroupCommitWriter.unavailable(database.name(), e.getMessage(), e);
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
