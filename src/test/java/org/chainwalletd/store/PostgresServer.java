package org.chainwalletd.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;

/** The PostgreSQL server of the test JVM, made at first use; each test has a schema of its own. It forces its writes to disk as the store asks. */
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

    /** Name of a new, empty schema: making one costs less than a database does. */
    static String schema() {
        String name = "store_" + SCHEMAS.incrementAndGet();
        run(name, "CREATE SCHEMA " + name);
        return name;
    }

    static Connection connect(String schema) throws SQLException {
        return connect(port(), schema, "");
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

    /** Opens the store of a schema in a new process. */
    static PostgresStore open(String schema) {
        return PostgresStore.open(schema, () -> connect(schema), OptionalLong.empty());
    }

    /** Opens it again in the process of this number. */
    static PostgresStore open(String schema, long start) {
        return PostgresStore.open(schema, () -> connect(schema), OptionalLong.of(start));
    }
}
