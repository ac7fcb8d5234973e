package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.sql.SentLog;
import org.junit.jupiter.api.Tag;

/** A single store. Restarts stay within one process start, because another start may not claim that its spends were never sent. */
@Tag("postgres")
class PostgresContractTest extends StoreContract {
    private final Map<Path, SharedStores> schemas = new HashMap<>();

    /** Each step needs many messages to a server. */
    @Override
    protected int steps() {
        return 150;
    }

    @Override
    protected Store open(Path folder) {
        SharedStores database = schemas.computeIfAbsent(folder, any -> new SharedStores());
        PostgresStore store = database.open(folder, Optional.empty(), SentLog.LEAST_TO_PRUNE);
        database.run("SELECT set_config('walletd.commit', '0', false); UPDATE spends SET runner = " + store.start());
        return store;
    }
}
