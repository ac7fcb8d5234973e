package org.chainwalletd.store.sql;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.FileFailures;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * SQLite specifics, for its two files, the money store and the books: the native library; creating, opening and checking a file; the meaning of
 * errors; the numbers in a file's header. Differences between statements are described by {@link SqlSession.Dialect}.
 *
 * <p>A file is created complete, so an empty file has lost its content: SQLite would take it for a new one, and every client token would pay again.
 * SQLite does not notice either when the end of the last page is missing.
 */
public final class Sqlite {
    private static final String LIBRARY_FOLDER = "org.sqlite.lib.path";
    private static final int BUSY_MILLIS = 10_000;
    private static final int CACHE_KIBIBYTES = 16 * 1024;
    /**
     * Size of the write-ahead log at which it is copied to the database (checkpoint). Commits touch pages all over the file, so the more commits
     * share a checkpoint, the fewer pages are written per commit.
     */
    private static final int CHECKPOINT_BYTES = 64 * 1024 * 1024;

    /** Layout of the header of an SQLite file (file format description, section 1.3); big-endian. */
    private static final int HEAD = 100;

    private static final int PAGE_SIZE_AT = 16;
    private static final int PAGES_AT = 28;
    /** Value of the two-byte page size field that stands for 65,536, which does not fit. */
    private static final int LARGEST_PAGE_MARK = 1;

    private static final int LARGEST_PAGE = 65_536;

    /** Mask of the primary result code, the low byte of an extended one. */
    private static final int PRIMARY_CODE = 0xff;

    private static final Set<Integer> DAMAGE =
            Set.of(SQLiteErrorCode.SQLITE_CORRUPT.code, SQLiteErrorCode.SQLITE_NOTADB.code);
    private static final String ADVICE =
            "; restore the file from a backup, or move it away only after checking that no payment is in flight";

    static final SqlSession.Dialect DIALECT = new SqlSession.Dialect() {
        @Override
        public String text(String statement) {
            return statement;
        }

        @Override
        public String beginReading() {
            return "BEGIN";
        }

        @Override
        public boolean isConstraint(SQLException e) {
            return (e.getErrorCode() & PRIMARY_CODE) == SQLiteErrorCode.SQLITE_CONSTRAINT.code;
        }

        @Override
        public boolean isImpossible(SQLException e) {
            return false;
        }

        @Override
        public void touch(SqlSession session) throws SQLException {
            session.execute("PRAGMA user_version = " + number(session, "user_version"));
        }

        @Override
        public void overwrite(SqlSession session, boolean on) throws SQLException {
            session.execute("PRAGMA secure_delete = " + (on ? "ON" : "OFF"));
        }
    };

    private Sqlite() {}

    /** Creates the tables of a new file. */
    @FunctionalInterface
    public interface Tables {
        void make(SqlSession session) throws SQLException;
    }

    /**
     * Creates a file with {@code tables}.
     *
     * @param pageSize in bytes; SQLite writes whole pages
     */
    public static void make(Path path, int pageSize, Tables tables) throws IOException, SQLException {
        useShippedLibrary();
        try (SQLiteConnection memory = (SQLiteConnection) new SQLiteConfig().createConnection("jdbc:sqlite::memory:")) {
            SqlSession session = new SqlSession(memory, DIALECT);
            session.execute("PRAGMA page_size = " + pageSize);
            tables.make(session);
            AtomicFiles.write(path, memory.serialize("main"));
        }
    }

    /** Returns statements that create the tables and indexes made by {@code tables}, without rows and triggers, in an executable order. */
    public static List<String> definitions(Tables tables) throws SQLException {
        useShippedLibrary();
        try (SqlSession session =
                new SqlSession(new SQLiteConfig().createConnection("jdbc:sqlite::memory:"), DIALECT)) {
            tables.make(session);
            return session.query(
                    "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL"
                            + " AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, rowid",
                    row -> row.getString(1));
        }
    }

    /** Opens a file in write-ahead mode with one fsync per commit. */
    public static SqlSession connect(Path path) throws SQLException {
        useShippedLibrary();
        SQLiteConfig config = new SQLiteConfig();
        // Otherwise the driver queries the last row id after every write. DriverManager would search every jar for
        // drivers.
        config.setGetGeneratedKeys(false);
        SqlSession session = new SqlSession(config.createConnection("jdbc:sqlite:" + path), DIALECT);
        session.execute("PRAGMA busy_timeout = " + BUSY_MILLIS);
        session.execute("PRAGMA journal_mode = WAL");
        session.execute("PRAGMA synchronous = FULL");
        session.execute("PRAGMA cache_size = -" + CACHE_KIBIBYTES);
        session.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_BYTES / number(session, "page_size"));
        return session;
    }

    /** Opens a file read-only. */
    static SqlSession connectReadOnly(Path path) throws SQLException {
        useShippedLibrary();
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        return new SqlSession(config.createConnection("jdbc:sqlite:" + path), DIALECT);
    }

    /**
     * Points the driver to the native library shipped with the package for common servers. The driver then neither unpacks its own copy to the
     * temporary folder, which may be mounted noexec, nor runs {@code uname}. On other platforms, or if that library does not load, the driver unpacks
     * its own.
     */
    private static void useShippedLibrary() {
        String home = System.getProperty("chainwalletd.home");
        String architecture = switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "aarch64";
            default -> "";
        };
        if (home == null || architecture.isEmpty() || System.getProperty(LIBRARY_FOLDER) != null) {
            return;
        }
        Path folder = Path.of(home, "lib", "native", "org", "sqlite", "native", "Linux", architecture);
        if (System.getProperty("os.name", "").equals("Linux") && Files.isDirectory(folder)) {
            System.setProperty(LIBRARY_FOLDER, folder.toString());
        }
    }

    /** Reads a number that SQLite keeps in the file header or for the connection. */
    public static long number(SqlSession session, String pragma) throws SQLException {
        return session.number("PRAGMA " + pragma);
    }

    public static boolean hasTable(SqlSession session, String name) throws SQLException {
        return session.has("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name);
    }

    /** Returns whether the file has no table yet. */
    public static boolean isEmpty(SqlSession session) throws SQLException {
        return session.query("SELECT name FROM sqlite_master", row -> row.getString(1))
                .isEmpty();
    }

    /** Checks the file; returns the damage found by SQLite, or empty if there is none. */
    public static Optional<String> damage(SqlSession session) throws SQLException {
        List<String> complaints = session.query("PRAGMA quick_check", row -> row.getString(1));
        return complaints.equals(List.of("ok")) ? Optional.empty() : Optional.of(complaints.get(0));
    }

    /** Returns whether a commit failed because the disk was full: its last page was not written, without which it does not count as a commit. */
    static boolean isFull(SQLException e) {
        return (e.getErrorCode() & PRIMARY_CODE) == SQLiteErrorCode.SQLITE_FULL.code;
    }

    /**
     * Checks that no write-ahead log with content is left beside the file.
     *
     * @throws StoreException when such a log shows that there was a store
     */
    static void requireNoLog(Path path) throws IOException {
        if (hasLog(path)) {
            throw damaged(path, "is missing although its log " + log(path) + " is there");
        }
    }

    /**
     * Checks that the file is not truncated.
     *
     * @throws StoreException when bytes are missing at its end; not detected while a write-ahead log with content exists
     */
    public static void requireWhole(Path path) throws IOException {
        long length = Files.size(path);
        if (length == 0) {
            throw damaged(path, "is empty");
        }
        if (length < HEAD || hasLog(path)) {
            return;
        }
        ByteBuffer head = ByteBuffer.allocate(HEAD);
        try (FileChannel channel = FileChannel.open(path)) {
            while (head.hasRemaining() && channel.read(head) >= 0) {
                continue;
            }
        }
        int pageSize = Short.toUnsignedInt(head.getShort(PAGE_SIZE_AT));
        long needed = Integer.toUnsignedLong(head.getInt(PAGES_AT))
                * (pageSize == LARGEST_PAGE_MARK ? LARGEST_PAGE : pageSize);
        if (length < needed) {
            throw damaged(path, "is cut short: " + length + " bytes of " + needed);
        }
    }

    private static boolean hasLog(Path path) throws IOException {
        return Files.exists(log(path)) && Files.size(log(path)) > 0;
    }

    private static Path log(Path path) {
        return path.resolveSibling(path.getFileName() + "-wal");
    }

    /**
     * Returns the exception for a file that SQLite cannot open. Only damage leads to the advice to restore a backup: an unnecessary restore makes
     * tokens pay again.
     */
    public static StoreException unusable(Path path, Exception cause) {
        String what = "cannot open the store " + path + ": "
                + (cause instanceof IOException file ? FileFailures.describe(file) : cause.getMessage());
        return isDamage(cause)
                ? new StoreException(StoreException.Reason.DAMAGED, what + ADVICE, cause)
                : StoreException.unavailable(
                        what + "; look at the room on the disk, the disk itself, and the owner and mode of the file,"
                                + " and leave the file where it is",
                        cause);
    }

    private static boolean isDamage(Exception cause) {
        return cause instanceof SQLiteException sqlite && DAMAGE.contains(sqlite.getResultCode().code & PRIMARY_CODE);
    }

    private static StoreException damaged(Path path, String how) {
        return StoreException.damaged("the store " + path + " " + how + ADVICE);
    }
}
