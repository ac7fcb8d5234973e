package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

    /** Opens the books of the daemon with a datadir, whose file they take over. */
    public Books openBooks(Path folder, List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(folder, schema, () -> PostgresServer.connect(schema), tables);
    }

    /**
     * Opens the books through a connection that is lost at the COMMIT, which fails.
     *
     * @param arrives whether the server receives it
     */
    public void losesTheOpening(Path folder, List<? extends BookTable<?, ?>> tables, boolean arrives)
            throws IOException {
        try (PostgresProxy proxy = new PostgresProxy(PostgresServer.port(), arrives)) {
            proxy.cutNext();
            assertThatThrownBy(() -> Books.openShared(
                            folder, schema, () -> PostgresServer.connect(proxy.port(), schema, ""), tables))
                    .isInstanceOf(StoreException.class);
        }
    }

    /** Returns the commit of the money store that the books remember. */
    public Optional<CommitMark> remembered() {
        return Books.remembered(schema, () -> PostgresServer.connect(schema));
    }

    /** Copies all rows, as a dump does. */
    public void backUp() {
        PostgresServer.backUp(schema);
    }

    /** Puts the rows of {@link #backUp} back: the database goes back in time. */
    public void goBack() {
        PostgresServer.putBack(schema);
    }

    /** Makes the other daemons believe for a moment that the daemon of this store is dead; its next heartbeat corrects that. */
    public void silence(Store store) {
        PostgresServer.run(schema, "UPDATE daemons SET beaten = 0 WHERE start = " + ((PostgresStore) store).start());
    }
}
