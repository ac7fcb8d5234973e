package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.sql.SentLog;

/** Stores of several daemons on one database of the test server, for tests of code that uses them. */
public final class SharedStores {
    private final String schema = PostgresServer.schema();
    /** Connections of the daemon with a datadir. */
    private final List<Connection> connections = new CopyOnWriteArrayList<>();

    private volatile boolean cut;

    /** Opens the store of another daemon. */
    public Store open() {
        return PostgresServer.open(schema);
    }

    /** Opens the store of the daemon with a datadir, which has ended. */
    public PostgresStore open(Path folder) {
        cut = false;
        return PostgresStore.open(
                folder, Optional.empty(), schema, this::connect, Optional.empty(), false, SentLog.LEAST_TO_PRUNE);
    }

    private Connection connect() throws SQLException {
        Connection connection = PostgresServer.connect(schema);
        connections.add(connection);
        if (cut) {
            closeAll();
            throw new SQLException("the process is dead", "08006");
        }
        return connection;
    }

    private void closeAll() {
        for (Connection connection : connections) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
        connections.clear();
    }

    /** Kills the process of the daemon with a datadir from the server's point of view: uncommitted changes are undone. */
    public void cut() {
        cut = true;
        closeAll();
    }

    /** Completes the store from the log of a datadir, whose daemon has ended. */
    public void restore(Path folder, boolean without) {
        PostgresStore.restore(
                folder,
                Optional.empty(),
                without ? Set.of(SentLog.FILE_NAME) : Set.of(),
                schema,
                () -> PostgresServer.connect(schema));
    }

    /** Declares the log of another datadir lost in a restore. */
    public void restoreWithout(Path folder, Path lost) {
        try {
            String name =
                    SentLog.read(lost).orElseThrow().shared().orElseThrow().name();
            PostgresStore.restore(folder, Optional.empty(), Set.of(name), schema, () -> PostgresServer.connect(schema));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Recreates the database. */
    public void empty() {
        PostgresServer.empty(schema);
    }

    /** Opens the books of another daemon, which can read and write, but writes no blocks before it has begun a run. */
    public Books openBooks(List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(
                schema, () -> PostgresServer.connect(PostgresServer.port(), schema + ",pg_catalog", ""), tables);
    }

    /** Opens the books of the daemon with a datadir, and imports its file. */
    public Books openBooks(Path folder, List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(folder, schema, () -> PostgresServer.connect(schema), tables, OptionalLong.empty());
    }

    /** Copies the books into a new file, as a move back does. */
    public OptionalLong moveBooksBack(Path folder, List<? extends BookTable<?, ?>> tables, CommitMark mark) {
        return Books.moveBack(schema, () -> PostgresServer.connect(schema), folder, tables, mark);
    }

    /** Returns whether there are books that can be moved back. */
    public boolean hasBooksToMove(List<? extends BookTable<?, ?>> tables) {
        return Books.requireMovable(schema, () -> PostgresServer.connect(schema), tables);
    }

    /** Runs a statement that no daemon would run. */
    public void run(String statement) {
        PostgresServer.run(schema, statement);
    }

    /**
     * Opens the books through a connection that is lost at the COMMIT, so that opening fails.
     *
     * @param arrives whether the COMMIT reaches the server
     */
    public void losesTheOpening(Path folder, List<? extends BookTable<?, ?>> tables, boolean arrives)
            throws IOException {
        try (PostgresProxy proxy = new PostgresProxy(PostgresServer.port(), arrives)) {
            proxy.cutNext();
            assertThatThrownBy(() -> Books.openShared(folder, schema, proxy.to(schema), tables, OptionalLong.empty()))
                    .isInstanceOf(StoreException.class);
        }
    }

    /** Returns the commit of the money store recorded in the books. */
    public Optional<CommitMark> remembered() {
        return Books.remembered(schema, () -> PostgresServer.connect(schema));
    }

    /** Copies all rows, as a dump does. */
    public void backUp() {
        PostgresServer.backUp(schema);
    }

    /** Restores the rows of {@link #backUp}, so that the database goes back in time. */
    public void goBack() {
        PostgresServer.putBack(schema);
    }

    /** Removes the commits of the books after this one. */
    public void losesBookCommits(long after) {
        PostgresServer.run(schema, "DELETE FROM book_commits WHERE number > " + after);
    }

    /** Removes the recorded changes of commits, so that each daemon reloads everything, as after a long time without connection. */
    public void forgetChanges() {
        PostgresServer.run(schema, "UPDATE store SET pruned = (SELECT max(number) + 1 FROM commits)");
    }

    /** Simulates the promotion of a standby for daemons that have opened their books without a datadir. */
    public void promote() {
        PostgresServer.act(schema);
        PostgresServer.act(schema, "timeline", "2");
    }

    /** Makes other daemons believe for a moment that the daemon of this store is dead; its next heartbeat corrects that. */
    public void silence(Store store) {
        PostgresServer.run(schema, "UPDATE daemons SET beaten = 0 WHERE start = " + ((PostgresStore) store).start());
    }
}
