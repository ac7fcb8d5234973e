package org.chainwalletd.store.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.store.CommitMark;

/** PostgreSQL server of the test JVM, started at first use; each test has its own schema. It forces writes to disk as the store requires. */
final class PostgresServer {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private static EmbeddedPostgres server;

    private PostgresServer() {}

    private static synchronized EmbeddedPostgres server() {
        if (server == null) {
            try {
                server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "on")
                        .setServerConfig("full_page_writes", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("max_connections", "100")
                        .setPGStartupWait(Duration.ofMinutes(2))
                        .start();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return server;
    }

    static int port() {
        return server().getPort();
    }

    /** Returns the name of a new, empty schema, which is cheaper to create than a database. */
    static String schema() {
        String name = "store_" + SCHEMAS.incrementAndGet();
        run(name, "CREATE SCHEMA " + name);
        return name;
    }

    /** Copies all rows of a schema, as a dump does. */
    static void backUp(String schema) {
        run(schema, backingUp(schema));
    }

    static String backingUp(String schema) {
        return """
                DO $$ DECLARE each text; BEGIN
                  DROP SCHEMA IF EXISTS %2$s CASCADE;
                  CREATE SCHEMA %2$s;
                  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '%1$s' LOOP
                    EXECUTE format('CREATE TABLE %2$s.%%I AS TABLE %1$s.%%I', each, each);
                  END LOOP;
                END $$""".formatted(schema, backupOf(schema));
    }

    /** Restores the rows of {@link #backUp} while daemons are connected. */
    static void putBack(String schema) {
        run(schema, puttingBack(schema));
    }

    static String puttingBack(String schema) {
        return """
                DO $$ DECLARE each text; columns text; BEGIN
                  PERFORM set_config('session_replication_role', 'replica', true);
                  PERFORM 1 FROM store FOR UPDATE;
                  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '%1$s' LOOP
                    EXECUTE format('DELETE FROM %1$s.%%I', each);
                    SELECT string_agg(column_name, ', ') INTO columns FROM information_schema.columns
                      WHERE table_schema = '%1$s' AND table_name = each AND is_generated = 'NEVER';
                    EXECUTE format('INSERT INTO %1$s.%%I (%%s) OVERRIDING SYSTEM VALUE SELECT %%s FROM %2$s.%%I',
                      each, columns, columns, each);
                  END LOOP;
                  PERFORM setval(pg_get_serial_sequence('%1$s.daemons', 'start'), max(start)) FROM daemons;
                  IF to_regclass('%1$s.credit_log') IS NOT NULL THEN
                    PERFORM setval(pg_get_serial_sequence('%1$s.credit_log', 'number'), max(number)) FROM credit_log;
                  END IF;
                END $$""".formatted(schema, backupOf(schema));
    }

    private static String backupOf(String schema) {
        return schema + "_backup";
    }

    /** Empties a schema, as if its database were created anew. */
    static void empty(String schema) {
        run(schema, "DROP SCHEMA " + schema + " CASCADE; CREATE SCHEMA " + schema);
    }

    static Connection connect(String schema) throws SQLException {
        return connect(port(), schema, "");
    }

    /**
     * Opens a store whose server returns values chosen by the test: the functions of the schema precede those of PostgreSQL, so that the clock, the
     * timeline or a setting can be overridden.
     */
    static PostgresStore openActing(String schema) {
        return PostgresStore.open(
                schema, () -> connect(port(), schema + ",pg_catalog", ""), OptionalLong.empty(), true);
    }

    /** Returns the operator commands on a server that returns values chosen by the test. */
    static PostgresCluster cluster(String schema) {
        return new PostgresCluster(schema, () -> connect(port(), schema + ",pg_catalog", ""));
    }

    /** Creates the functions for {@link #openActing}. */
    static void act(String schema) {
        run(schema, """
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
    static void act(String schema, String name, String value) {
        run(
                schema,
                "INSERT INTO acting VALUES ('" + name + "', '" + value
                        + "') ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    }

    /** @param options of the server's process, as {@code -c name=value} */
    static Connection connect(int port, String schema, String options) throws SQLException {
        Properties how = new Properties();
        how.setProperty("user", "postgres");
        how.setProperty("prepareThreshold", "0");
        how.setProperty("connectTimeout", "10");
        how.setProperty("currentSchema", schema);
        how.setProperty("options", options);
        how.setProperty("sslmode", "disable");
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", how);
    }

    static void run(String schema, String statement) {
        try (Connection connection = connect(schema);
                Statement one = connection.createStatement()) {
            one.execute(statement);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs a query for one number. */
    static long number(String schema, String query) {
        try (Connection connection = connect(schema);
                Statement one = connection.createStatement();
                ResultSet row = one.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs {@code work} while another process holds the lock of this table. */
    static void whileLocked(String schema, String table, Runnable work) {
        try (Connection other = connect(schema);
                Statement holds = other.createStatement()) {
            holds.execute("BEGIN; SELECT 1 FROM " + table + " FOR UPDATE");
            work.run();
            holds.execute("ROLLBACK");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes the server answer the next transactions that insert a commit into this table, this number of them, with a warning. */
    static void warnOf(String schema, String commits, int transactions) {
        run(schema, """
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

    /** Opens the store of a schema as a new start of a daemon, with the clock of the test. */
    static PostgresStore open(String schema) {
        return PostgresStore.open(schema, () -> connect(schema), OptionalLong.empty(), false);
    }

    /** Opens the store again under this start number. */
    static PostgresStore open(String schema, long start) {
        return PostgresStore.open(schema, () -> connect(schema), OptionalLong.of(start), false);
    }

    /** Opens the store as the daemon with this datadir does. */
    static PostgresStore open(String schema, Path folder, Optional<CommitMark> books, long leastToPrune) {
        return PostgresStore.open(folder, books, schema, () -> connect(schema), Optional.empty(), false, leastToPrune);
    }
}
