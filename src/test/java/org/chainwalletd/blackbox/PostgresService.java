package org.chainwalletd.blackbox;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FreePort;

/** PostgreSQL server that requires passwords and can be stopped and started. */
final class PostgresService {
    static final String PASSWORD = "pa ss'wörd";

    private static final String STANDBY = "standby";

    private final Path data;
    private final int port = FreePort.any();
    private EmbeddedPostgres running;
    private boolean isRunning;

    PostgresService(Path data) throws IOException, SQLException {
        this.data = data;
        start();
        run("CREATE ROLE walletd LOGIN PASSWORD '" + PASSWORD.replace("'", "''") + "'");
        Path access = data.resolve("pg_hba.conf");
        Files.writeString(access, "host all walletd 127.0.0.1/32 scram-sha-256\n" + Files.readString(access));
        run("SELECT pg_reload_conf()");
    }

    void start() throws IOException {
        running = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setPGStartupWait(Duration.ofMinutes(2))
                .start();
        isRunning = true;
    }

    private PostgresService(PostgresService primary, Path data) throws IOException, SQLException {
        this.data = data;
        primary.copyTo(data);
        Files.writeString(
                data.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.port + " user=postgres application_name=" + STANDBY
                        + "'\n",
                StandardOpenOption.APPEND);
        Files.createFile(data.resolve("standby.signal"));
        start();
    }

    /** Starts a standby of this server, which replicates asynchronously until {@link #waitForStandby}. */
    PostgresService standby(Path folder) throws IOException, SQLException {
        return new PostgresService(this, folder);
    }

    /** Makes a base backup, whose WAL comes from this server. */
    private void copyTo(Path folder) throws IOException, SQLException {
        try (Connection connection = connection("postgres");
                Statement one = connection.createStatement()) {
            one.execute("SELECT pg_backup_start('standby', true)");
            try (Stream<Path> files = Files.walk(data)) {
                for (Path file : files.toList()) {
                    if (!file.getFileName().toString().startsWith("postmaster.")) {
                        Files.copy(file, folder.resolve(data.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                    }
                }
            }
            try (ResultSet row = one.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                row.next();
                Files.writeString(folder.resolve("backup_label"), row.getString(1));
            }
        }
    }

    /** Makes replication synchronous: from now on nothing is committed that the standby does not have. */
    void waitForStandby() throws SQLException {
        run("ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'");
        run("SELECT pg_reload_conf()");
        awaitStandby("sync_state = 'sync'");
    }

    /** Waits until the standby has replicated everything. */
    void awaitStandby() {
        awaitStandby("replay_lsn >= pg_current_wal_lsn()");
    }

    private void awaitStandby(String condition) {
        Await.until("the standby follows", () -> {
            try {
                return number("postgres", "SELECT count(*) FROM pg_stat_replication WHERE " + condition) == 1;
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Promotes a standby to primary. */
    void promote() throws SQLException {
        run("SELECT pg_promote()");
    }

    /** Stops the server as an operator does; the library's own method waits for only a few seconds. */
    void stop() throws IOException {
        end("-INT");
    }

    /** Kills all its processes, without a checkpoint. */
    void crash() throws IOException {
        end("-QUIT");
    }

    private void end(String signal) throws IOException {
        isRunning = false;
        List<String> told = Files.readAllLines(data.resolve("postmaster.pid"));
        long process = Long.parseLong(told.get(0).strip());
        Await.exit(new ProcessBuilder("kill", signal, Long.toString(process)).start());
        Await.until("the server has stopped", () -> !Files.exists(data.resolve("postmaster.pid")));
        running.close();
    }

    boolean isRunning() {
        return isRunning;
    }

    int port() {
        return port;
    }

    Connection connection(String database) throws SQLException {
        return running.getDatabase("postgres", database).getConnection();
    }

    void run(String statement) throws SQLException {
        runIn("postgres", statement);
    }

    void runIn(String database, String statement) throws SQLException {
        try (Connection connection = connection(database);
                Statement one = connection.createStatement()) {
            one.execute(statement);
        }
    }

    long number(String database, String query) throws SQLException {
        try (Connection connection = connection(database);
                Statement one = connection.createStatement();
                ResultSet row = one.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Returns the folder of the server's programs. */
    Path programs() throws IOException {
        String process =
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip();
        return Path.of("/proc", process, "exe").toRealPath().getParent();
    }

    String url(String database) {
        return "postgresql://walletd@127.0.0.1:" + port + "/" + database;
    }
}
