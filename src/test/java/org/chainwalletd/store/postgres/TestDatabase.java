package org.chainwalletd.store.postgres;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.testkit.OwnFiles;

/** Database on the test server for whole daemons and commands, reached through a {@link DatabaseDoor} that can cut or pause connections. */
public final class TestDatabase extends TestRows implements Closeable {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String name = "daemons_" + DATABASES.incrementAndGet();
    private final DatabaseDoor door = new DatabaseDoor(this, Map.of());

    public TestDatabase() {
        super("public");
        new SharedStores("public").run("CREATE DATABASE " + name);
    }

    /** Returns the value of {@code --store}. */
    public String url() {
        return door.url();
    }

    /** Returns the value of {@code --store} for a client of another door. */
    String url(int port) {
        return "postgresql://postgres@127.0.0.1:" + port + "/" + name + "?sslmode=disable";
    }

    /** Returns the flags of a daemon on this database and their values. */
    public String[] flags(Path folder) {
        try {
            Path password = OwnFiles.secret(folder.resolve("store-password"), "any\n");
            return new String[] {"--store", url(), "--store-password-file", password.toString()};
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts all connections, and each new one, until {@link #back}. */
    public void leave() {
        door.leave();
    }

    /** Withholds all further messages, on connections that stay open, until {@link #back}. */
    public void fallSilent() {
        door.fallSilent();
    }

    /** Makes the database respond again. */
    public void back() {
        door.back();
    }

    /** Ends some of the connections to the database, except this one. */
    public void terminate(int most) {
        run("SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND pid <> pg_backend_pid() ORDER BY random() LIMIT " + most + ") AS chosen");
    }

    /** Allows {@link #moveClock} to set the clock of daemons that connect from now on. */
    public void actClock() {
        run("CREATE TABLE acting_clock (ahead INTERVAL NOT NULL); INSERT INTO acting_clock VALUES ('0');"
                + " CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " $$SELECT pg_catalog.clock_timestamp() + ahead FROM public.acting_clock$$;"
                + " ALTER DATABASE " + name + " SET search_path = public, pg_catalog");
    }

    /** Moves the database's clock ahead by this duration; zero ends that. */
    public void moveClock(Duration ahead) {
        run("UPDATE acting_clock SET ahead = '" + ahead.toMillis() + " milliseconds'");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + PostgresServer.port() + "/" + name + "?sslmode=disable",
                "postgres",
                "");
    }

    @Override
    public void close() throws IOException {
        door.close();
        new SharedStores("public").run("DROP DATABASE " + name + " WITH (FORCE)");
    }
}
