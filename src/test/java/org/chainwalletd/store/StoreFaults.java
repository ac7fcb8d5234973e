package org.chainwalletd.store;

import java.util.List;

/** Makes the writes of a store fail, for tests of those who use stores. */
public final class StoreFaults {
    private static final List<String> EVENTS =
            List.of("INSERT ON intents", "UPDATE ON intents", "DELETE ON intents", "DELETE ON reservations");

    private StoreFaults() {}

    /** From now on every commit that touches a spend fails within SQLite, until {@code fail} is false again. */
    public static void failWrites(SqliteStore store, boolean fail) {
        store.write(session -> {
                    for (int i = 0; i < EVENTS.size(); i++) {
                        session.execute("DROP TRIGGER IF EXISTS temp.fault_" + i);
                        if (fail) {
                            session.execute("CREATE TEMP TRIGGER fault_" + i + " BEFORE " + EVENTS.get(i)
                                    + " BEGIN INSERT INTO a_disk_that_is_full VALUES (1); END");
                        }
                    }
                    return null;
                })
                .join();
    }
}
