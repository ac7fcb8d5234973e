package org.chainwalletd.store.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** PostgreSQL server of the test JVM, started at first use. It forces writes to disk as the store requires. */
final class PostgresServer {
    private static EmbeddedPostgres server;

    private PostgresServer() {}

    static synchronized int port() {
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
        return server.getPort();
    }

    /**
     * Connects to the database that the schemas of all tests are in.
     *
     * @param port of the server or of a proxy before it
     * @param schemas to be searched for names, separated by commas
     * @param options of the server's process, as {@code -c name=value}
     */
    static Connection connect(int port, String schemas, String options) throws SQLException {
        Properties how = new Properties();
        how.setProperty("user", "postgres");
        how.setProperty("prepareThreshold", "0");
        how.setProperty("connectTimeout", "10");
        how.setProperty("currentSchema", schemas);
        how.setProperty("options", options);
        how.setProperty("sslmode", "disable");
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", how);
    }
}
