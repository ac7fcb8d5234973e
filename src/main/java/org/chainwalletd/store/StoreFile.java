package org.chainwalletd.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Set;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * {@code walletd.db} as a file of bytes. It is made whole, so one that is empty has lost what it held; SQLite would take it for a new one, and
 * every client token would pay again. Nor does SQLite notice when the end of the last page is gone.
 */
public final class StoreFile {
    /** Layout of the head of an SQLite file (its format description, section 1.3); big-endian. */
    private static final int HEAD = 100;

    private static final int PAGE_SIZE_AT = 16;
    private static final int PAGES_AT = 28;
    /** 65,536 does not fit into the two bytes of the page size and is written as this. */
    private static final int LARGEST_PAGE_MARK = 1;

    private static final int LARGEST_PAGE = 65_536;

    /**
     * What is written is written in whole pages, and a spend touches two random ones, in the indexes of ids and of tokens. A quarter of SQLite's
     * usual size is a quarter of those bytes. Files of older releases keep theirs.
     */
    private static final int PAGE_SIZE = 1_024;

    /** The low byte of an extended result code. */
    private static final int PRIMARY_CODE = 0xff;

    private static final Set<Integer> DAMAGE =
            Set.of(SQLiteErrorCode.SQLITE_CORRUPT.code, SQLiteErrorCode.SQLITE_NOTADB.code);
    private static final String WAY_OUT =
            "; restore the file from a backup, or move it away only after checking that no payment is in flight";

    private StoreFile() {}

    /**
     * Makes an empty store of the newest version.
     *
     * @throws StoreException when a log with content shows that there was one
     */
    static void make(Path path) throws IOException, SQLException {
        requireNoLog(path);
        try (SQLiteConnection memory = (SQLiteConnection) new SQLiteConfig().createConnection("jdbc:sqlite::memory:")) {
            SqlSession session = new SqlSession(memory);
            session.execute("PRAGMA page_size = " + PAGE_SIZE);
            Schema.make(session);
            AtomicFiles.write(path, memory.serialize("main"));
        }
    }

    /** @throws StoreException when a log with content shows that there was a store */
    static void requireNoLog(Path path) throws IOException {
        if (hasLog(path)) {
            throw damaged(path, "is missing although its log " + log(path) + " is there");
        }
    }

    /** @throws StoreException when bytes are missing at the end, as far as that can be told before what the log holds is taken in */
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

    /** What kept SQLite from opening the file. Only damage asks for a backup: one that is put back without need makes tokens pay again. */
    public static StoreException unusable(Path path, Exception cause) {
        String what = "cannot open the store " + path + ": "
                + (cause instanceof IOException file ? FileFailures.describe(file) : cause.getMessage());
        return isDamage(cause)
                ? new StoreException(StoreException.Reason.DAMAGED, what + WAY_OUT, cause)
                : new StoreException(
                        StoreException.Reason.UNAVAILABLE,
                        what + "; look at the room on the disk, the disk itself, and the owner and mode of the file,"
                                + " and leave the file where it is",
                        cause);
    }

    private static boolean isDamage(Exception cause) {
        return cause instanceof SQLiteException sqlite && DAMAGE.contains(sqlite.getResultCode().code & PRIMARY_CODE);
    }

    private static StoreException damaged(Path path, String how) {
        return new StoreException(StoreException.Reason.DAMAGED, "the store " + path + " " + how + WAY_OUT, null);
    }
}
