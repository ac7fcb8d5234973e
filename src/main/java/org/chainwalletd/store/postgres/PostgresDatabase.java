package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.StoreException;

/**
 * Connections to the database named in the settings. Each connection goes to the current primary, resolving host names and reading the password anew.
 * The driver is loaded at the first connection, so that a daemon on SQLite loads none of its classes.
 */
public final class PostgresDatabase implements Postgres.Connector {
    private static final String DRIVER = "org.postgresql.Driver";
    /** System property with the installation folder of the daemon, set by the launcher. */
    private static final String HOME = "chainwalletd.home";
    /** Folder of the driver within it, which is not on the class path. */
    private static final String DRIVER_FOLDER = "lib/postgresql";

    private static final String CANNOT_CONNECT = "08001";
    /** Time after a failed connection in which no other one is tried, so that queued callers fail at once instead of each waiting for a timeout. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final class DriverHolder {
        static final Driver INSTANCE = load();

        private static Driver load() {
            try {
                return (Driver) driverClass().getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException | IOException e) {
                throw StoreException.unavailable(
                        "the driver of PostgreSQL is missing (" + DRIVER_FOLDER
                                + " beside the daemon's jars): install the daemon anew",
                        e);
            }
        }

        private static Class<?> driverClass() throws ClassNotFoundException, IOException {
            try {
                return Class.forName(DRIVER);
            } catch (ClassNotFoundException e) {
                return Class.forName(DRIVER, true, folderLoader());
            }
        }

        /** Returns a class loader that stays open for the lifetime of the process. */
        private static URLClassLoader folderLoader() throws IOException {
            Path folder = Path.of(System.getProperty(HOME, ".")).resolve(DRIVER_FOLDER);
            List<URL> jars = new ArrayList<>();
            if (Files.isDirectory(folder)) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
                    for (Path jar : files) {
                        jars.add(url(jar));
                    }
                }
            }
            return new URLClassLoader(jars.toArray(URL[]::new), PostgresDatabase.class.getClassLoader());
        }

        private static URL url(Path jar) throws MalformedURLException {
            return jar.toUri().toURL();
        }
    }

    private record Refusal(long nanos, String why) {}

    private final Settings.Database settings;
    private volatile Refusal last;

    public PostgresDatabase(Settings.Database settings) {
        this.settings = settings;
    }

    @Override
    public String name() {
        return settings.toString();
    }

    /**
     * Connects to the primary server, in autocommit mode.
     *
     * @throws SQLException with instructions in one sentence; nothing was sent that could have taken effect
     */
    @Override
    public Connection connect() throws SQLException {
        Refusal before = last;
        if (before != null && System.nanoTime() - before.nanos() < PAUSE_NANOS) {
            throw new SQLException(before.why(), CANNOT_CONNECT);
        }
        try {
            Connection connection = DriverHolder.INSTANCE.connect(
                    "jdbc:postgresql://" + String.join(",", settings.hosts()) + "/" + settings.name(), properties());
            last = null;
            return connection;
        } catch (IllegalArgumentException e) {
            throw new SQLException("cannot be reached: " + e.getMessage(), CANNOT_CONNECT, e);
        } catch (SQLException e) {
            String why = why(e);
            last = new Refusal(System.nanoTime(), why);
            throw new SQLException(why, CANNOT_CONNECT, e);
        }
    }

    private Properties properties() {
        Properties how = new Properties();
        how.setProperty("user", settings.user());
        settings.currentPassword().ifPresent(password -> how.setProperty("password", password));
        how.setProperty("ApplicationName", "chain-walletd");
        how.setProperty("targetServerType", "primary");
        how.setProperty("hostRecheckSeconds", "0");
        how.setProperty("connectTimeout", "3");
        // A timeout closes the connection and cancels nothing: a COMMIT that was sent may still take effect.
        how.setProperty("socketTimeout", "10");
        how.setProperty("tcpKeepAlive", "true");
        // Proxies that use another connection for each transaction do not support prepared statements.
        how.setProperty("prepareThreshold", "0");
        // Error details quote rows.
        how.setProperty("logServerErrorDetail", "false");
        how.setProperty("gssEncMode", "disable");
        how.setProperty("sslmode", settings.tls() ? "verify-full" : "disable");
        if (settings.tls()) {
            settings.rootCertificate()
                    .ifPresentOrElse(
                            file -> how.setProperty("sslrootcert", file.toString()),
                            () -> how.setProperty("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory"));
        }
        return how;
    }

    /** Returns a clause that completes "the store …" for a failed connection. */
    private String why(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String text = String.valueOf(e.getMessage()).replace('\n', ' ');
        String hosts = String.join(", ", settings.hosts());
        if (isOrHas(e, UnknownHostException.class)) {
            return "has a host that cannot be found (" + hosts + "): correct --store, or the name service";
        }
        if (isOrHas(e, SSLException.class) || text.contains("SSL") || text.contains("could not be verified")) {
            return "is on a server whose TLS is not trusted (" + text
                    + "): let the server show a certificate for its host name, and name its issuer with sslrootcert";
        }
        if (text.contains("targetServerType")) {
            return "has no primary server that can be written (" + hosts
                    + "): name the primary, which decides about money, and see that it is not read-only";
        }
        return switch (state) {
            case "28P01", "28000", "08004" ->
                "does not let the user " + settings.user() + " in (" + text
                        + "): correct the user, the password in WALLETD_STORE_PASSWORD or --store-password-file, or the server's"
                        + " pg_hba.conf";
            case "3D000" -> "does not exist on the server: make it with createdb, or correct --store";
            case "53300" -> "is on a server that has no connection left: raise its max_connections";
            case "57P03" -> "is on a server that is starting or stopping: try again in a moment";
            default ->
                "does not answer (" + hosts + ": " + text + "): start the server, or correct --store and the way to it";
        };
    }

    private static boolean isOrHas(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
