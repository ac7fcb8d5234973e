package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.sql.SentLog;
import org.junit.jupiter.api.Tag;

/** One store alone. Restarts are those of a store in one process: another process may not say that its spends never left. */
@Tag("postgres")
class PostgresContractTest extends StoreContract {
    private final Map<Path, String> schemas = new HashMap<>();

    /** Each step is many messages to a server. */
    @Override
    protected int steps() {
        return 150;
    }

    @Override
    protected Store open(Path folder) {
        String schema = schemas.computeIfAbsent(folder, any -> PostgresServer.schema());
        PostgresStore store = PostgresServer.open(schema, folder, Optional.empty(), SentLog.LEAST_TO_PRUNE);
        PostgresServer.run(
                schema, "SELECT set_config('walletd.commit', '0', false); UPDATE spends SET runner = " + store.start());
        return store;
    }
}
