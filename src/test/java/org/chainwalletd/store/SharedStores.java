package org.chainwalletd.store;

/** Stores of several daemons on one database of the test server, for tests of what uses them. */
public final class SharedStores {
    private final String schema = PostgresServer.schema();

    /** Opens the store of one more daemon. */
    public Store open() {
        return PostgresServer.open(schema);
    }

    /** Makes the other daemons believe for a moment that the daemon of this store is dead; its next heartbeat corrects that. */
    public void silence(Store store) {
        PostgresServer.run(schema, "UPDATE daemons SET beaten = 0 WHERE start = " + ((PostgresStore) store).start());
    }
}
