package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;

/** Stores of several daemons in a schema of the test server, which is cheaper to create than a database. */
public final class SharedStores extends TestRows implements AutoCloseable {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final String schema;
    /** Connections of the daemon with a datadir. */
    private final List<Connection> connections = new CopyOnWriteArrayList<>();

    private volatile boolean cut;
    /** Stores to be closed with this. */
    private final List<PostgresStore> opened = new ArrayList<>();

    public SharedStores() {
        this("store_" + SCHEMAS.incrementAndGet());
        run("CREATE SCHEMA " + schema);
    }

    /** Represents a schema that exists. */
    SharedStores(String schema) {
        super(schema);
        this.schema = schema;
    }

    /** Returns a schema that exists on the server of another process. */
    static Postgres.Connector of(int port, String schema) {
        return new SharedStores(schema).through(() -> PostgresServer.connect(port, schema, ""));
    }

    @Override
    public String name() {
        return schema;
    }

    @Override
    public Connection connect() throws SQLException {
        return PostgresServer.connect(PostgresServer.port(), schema, "");
    }

    /** Returns this schema, connected with options of the server's process. */
    Postgres.Connector with(String options) {
        return through(() -> PostgresServer.connect(PostgresServer.port(), schema, options));
    }

    /**
     * Returns this schema on a server that returns values chosen by the test: the functions of the schema precede those of PostgreSQL, so that the
     * clock, the timeline or a setting can be overridden, see {@link #act()}.
     */
    Postgres.Connector acting() {
        return through(() -> PostgresServer.connect(PostgresServer.port(), schema + ",pg_catalog", ""));
    }

    /** Opens the store of another daemon. */
    public PostgresStore open() {
        return open(this, OptionalLong.empty(), false);
    }

    /** Closes a store at the end of the test. */
    PostgresStore keep(PostgresStore store) {
        opened.add(store);
        return store;
    }

    /** Ends daemons, unless they have ended, before the end of the test. */
    void end(PostgresStore... stores) {
        for (PostgresStore store : stores) {
            if (opened.remove(store)) {
                store.close();
            }
        }
    }

    @Override
    public void close() {
        opened.forEach(PostgresStore::close);
    }

    /** Opens the store of another daemon on a server that returns values chosen by the test, with the clock of that server. */
    PostgresStore openActing() {
        return open(acting(), OptionalLong.empty(), true);
    }

    /**
     * Opens a store without a log.
     *
     * @param start number of this process if it has opened the store before; otherwise the process gets a new number
     * @param countsByServer whether a use of the allowance expires by the server's clock
     */
    static PostgresStore open(Postgres.Connector database, OptionalLong start, boolean countsByServer) {
        try (SqlSession session = database.session()) {
            PostgresStore.Server server = PostgresStore.requireFit(session, database.name());
            PostgresSchema.migrate(session, database.name());
            long number = session.number(
                    start.isPresent()
                            ? "UPDATE daemons SET ended = false, timeline = ?, boot = DEFAULT, beaten = "
                                    + PostgresSchema.MILLIS + " WHERE start = " + start.getAsLong()
                                    + " RETURNING start"
                            : "INSERT INTO daemons (timeline, beaten) VALUES (?, " + PostgresSchema.MILLIS
                                    + ") RETURNING start",
                    server.timeline());
            PostgresTransactions.Made seen = session.queryOne(
                            "SELECT number, random FROM commits ORDER BY number DESC LIMIT 1",
                            row -> new PostgresTransactions.Made(row.number("number"), row.number("random")))
                    .orElse(PostgresTransactions.NONE);
            return PostgresStore.started(new PostgresStore(
                    database, session, server.start(number, seen, Optional.empty()), Optional.empty(), countsByServer));
        } catch (SQLException e) {
            throw StoreException.unavailable("store " + database.name() + " cannot be opened", e);
        }
    }

    /** Opens the store of the daemon with a datadir, which has ended. */
    public PostgresStore open(Path folder) {
        cut = false;
        return PostgresStore.open(
                folder,
                Optional.empty(),
                through(this::connectUnlessCut),
                Optional.empty(),
                false,
                SentLog.LEAST_TO_PRUNE);
    }

    /** Opens the store of the daemon with a datadir, whose books have recorded this commit. */
    PostgresStore open(Path folder, Optional<CommitMark> books, long leastToPrune) {
        return PostgresStore.open(folder, books, this, Optional.empty(), false, leastToPrune);
    }

    private Connection connectUnlessCut() throws SQLException {
        Connection connection = connect();
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

    PostgresRestore.Step restore(Path folder, Optional<CommitMark> books, String... without) {
        return PostgresStore.restore(folder, books, Set.of(without), this);
    }

    /** Completes the store from the log of a datadir, whose daemon has ended. */
    public void restore(Path folder, boolean without) {
        restore(folder, Optional.empty(), without ? new String[] {SentLog.FILE_NAME} : new String[0]);
    }

    /** Declares the log of another datadir lost in a restore. */
    public void restoreWithout(Path folder, Path lost) {
        try {
            String name =
                    SentLog.read(lost).orElseThrow().shared().orElseThrow().name();
            restore(folder, Optional.empty(), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Recreates the database. */
    public void empty() {
        run("DROP SCHEMA " + schema + " CASCADE; CREATE SCHEMA " + schema);
    }

    /** Opens the books of another daemon, which can read and write, but writes no blocks before it has begun a run. */
    public Books openBooks(List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(acting(), tables);
    }

    /** Opens the books of the daemon with a datadir, and imports its file. */
    public Books openBooks(Path folder, List<? extends BookTable<?, ?>> tables) {
        return Books.openShared(folder, this, tables, OptionalLong.empty());
    }

    /**
     * Opens the books through a connection that is lost at the COMMIT, so that opening fails.
     *
     * @param arrives whether the COMMIT reaches the server
     */
    public void losesTheOpening(Path folder, List<? extends BookTable<?, ?>> tables, boolean arrives)
            throws IOException {
        try (PostgresProxy proxy = new PostgresProxy(this, arrives)) {
            proxy.cutNext();
            assertThatThrownBy(() -> Books.openShared(folder, proxy.database(), tables, OptionalLong.empty()))
                    .isInstanceOf(StoreException.class);
        }
    }

    /** Removes the recorded changes of commits, so that each daemon reloads everything, as after a long time without connection. */
    public void forgetChanges() {
        run("UPDATE store SET pruned = (SELECT max(number) + 1 FROM commits)");
    }

    /** Simulates the promotion of a standby for daemons that have opened their books without a datadir. */
    public void promote() {
        act();
        act("timeline", "2");
    }

    /** Makes other daemons believe for a moment that the daemon of this store is dead; its next heartbeat corrects that. */
    public void silence(Store store) {
        run("UPDATE daemons SET beaten = 0 WHERE start = " + ((PostgresStore) store).start());
    }

    /** Returns the operator commands on a server that returns values chosen by the test. */
    PostgresCluster cluster() {
        return new PostgresCluster(acting());
    }

    /** Creates the functions for {@link #acting}. */
    void act() {
        run("""
                CREATE TABLE acting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
                CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                  $$SELECT pg_catalog.clock_timestamp()
                    + coalesce((SELECT value FROM acting WHERE name = 'clock_ahead'), '0')::interval$$;
                CREATE FUNCTION pg_walfile_name(at pg_lsn) RETURNS text LANGUAGE sql VOLATILE AS
                  $$SELECT lpad(coalesce((SELECT value FROM acting WHERE name = 'timeline'), '1'), 8, '0')$$;
                CREATE FUNCTION pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                  $$SELECT pg_catalog.pg_postmaster_start_time()
                    + coalesce((SELECT value FROM acting WHERE name = 'restarted'), '0')::interval$$;
                CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql VOLATILE AS
                  $$SELECT EXISTS (SELECT 1 FROM acting WHERE name = 'recovering')$$;
                CREATE FUNCTION current_setting(setting text) RETURNS text LANGUAGE sql VOLATILE AS
                  $$SELECT coalesce((SELECT value FROM acting WHERE name = setting),
                    pg_catalog.current_setting(setting))$$;
                """);
    }

    /**
     * Sets a value that the server returns.
     *
     * @param name {@code clock_ahead}, {@code restarted}, {@code timeline}, {@code recovering}, or the name of a setting
     */
    void act(String name, String value) {
        run("INSERT INTO acting VALUES ('" + name + "', '" + value
                + "') ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    }

    /** Runs {@code work} while another process holds the lock of this table. */
    void whileLocked(String table, Runnable work) {
        try (Connection other = connect();
                Statement holds = other.createStatement()) {
            holds.execute("BEGIN; SELECT 1 FROM " + table + " FOR UPDATE");
            work.run();
            holds.execute("ROLLBACK");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes the server answer the next transactions that insert a commit into this table, this number of them, with a warning. */
    void warnOf(String commits, int transactions) {
        run("""
                CREATE TABLE warnings (remaining BIGINT NOT NULL);
                INSERT INTO warnings VALUES (%d);
                CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF (SELECT remaining FROM warnings) > 0 THEN
                    UPDATE warnings SET remaining = remaining - 1;
                    RAISE WARNING 'the transaction has committed locally, but might not have been replicated';
                  END IF;
                  RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON %s DEFERRABLE INITIALLY DEFERRED
                  FOR EACH ROW EXECUTE FUNCTION warn()""".formatted(transactions, commits));
    }
}
