package org.chainwalletd.store;

import java.util.List;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;

/** Stores of several daemons on one database of the test server, for tests of what uses them. */
public final class SharedStores {
    private final String schema = PostgresServer.schema();

    /** Opens the store of one more daemon. */
    public Store open() {
        return PostgresServer.open(schema);
    }

    /** Opens the books of one more daemon, which reads and writes, but no blocks until it has begun a run. */
    public Books openBooks(List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(schema, () -> PostgresServer.connect(schema), tables);
    }

    /** Makes the other daemons believe for a moment that the daemon of this store is dead; its next heartbeat corrects that. */
    public void silence(Store store) {
        PostgresServer.run(schema, "UPDATE daemons SET beaten = 0 WHERE start = " + ((PostgresStore) store).start());
    }
}
