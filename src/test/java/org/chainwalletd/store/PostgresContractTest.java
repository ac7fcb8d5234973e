package org.chainwalletd.store;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** One store alone. Restarts are those of a store in one process: another process may not say that its spends never left. */
@Tag("postgres")
class PostgresContractTest extends StoreContract {
    private record Opened(String schema, long start) {}

    private final Map<Path, Opened> opened = new HashMap<>();

    /** Each step is many messages to a server. */
    @Override
    int steps() {
        return 150;
    }

    @Override
    Store open(Path folder) {
        Opened before = opened.get(folder);
        if (before != null) {
            return PostgresServer.open(before.schema(), before.start());
        }
        String schema = PostgresServer.schema();
        PostgresStore store = PostgresServer.open(schema);
        opened.put(folder, new Opened(schema, store.start()));
        return store;
    }
}
