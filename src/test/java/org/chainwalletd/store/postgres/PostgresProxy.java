package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.sql.SentLog;

/** Proxy of a client of {@link SharedStores}. */
final class PostgresProxy extends ServerProxy {
    private final SharedStores database;
    private final boolean arrives;

    /**
     * @param arrives whether a COMMIT that is cut reaches the server
     */
    PostgresProxy(SharedStores database, boolean arrives) {
        super(Map.of());
        this.database = database;
        this.arrives = arrives;
    }

    Postgres.Connector database() {
        return database.through(() -> PostgresServer.connect(port(), database.name(), ""));
    }

    /** Opens the store through the proxy. */
    PostgresStore open() {
        return SharedStores.open(database(), OptionalLong.empty(), true);
    }

    /** Opens the store as the daemon with this datadir does. */
    PostgresStore open(Path folder) {
        return PostgresStore.open(folder, Optional.empty(), database(), Optional.empty(), true, SentLog.LEAST_TO_PRUNE);
    }

    /** Cuts the next COMMIT. */
    void cutNext() {
        cutNext("");
    }

    /** Cuts the next COMMIT of a transaction with a statement that contains {@code statement}. */
    void cutNext(String statement) {
        loseNextCommit(statement, arrives);
    }
}
