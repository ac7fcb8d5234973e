package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreMemory;
import org.chainwalletd.store.sql.StoreRestore;

/**
 * Datadir of one of the daemons that use a PostgreSQL store: compares its {@code sent.log} and its books with the database, and registers a start of
 * its daemon there. The name of the log identifies the datadir.
 */
final class PostgresDatadir {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    /** Source of this machine's name, without a name service lookup that may hang. */
    private static final Path MACHINE = Path.of("/proc/sys/kernel/hostname");

    private final Path folder;
    private final String database;
    private final StoreMemory memory;

    private PostgresDatadir(Path folder, String database, StoreMemory memory) {
        this.folder = folder.toAbsolutePath();
        this.database = database;
        this.memory = memory;
    }

    /**
     * Reads the records in {@code folder} without changing it.
     *
     * @param books the last commit recorded in the books
     */
    static PostgresDatadir of(Path folder, Optional<CommitMark> books, String database) throws IOException {
        return new PostgresDatadir(folder, database, StoreMemory.of(folder, books));
    }

    private StoreException refused(String why) {
        return StoreException.unavailable("store " + database + ": the datadir " + folder + " " + why, null);
    }

    Optional<SentLog.Known> log() {
        return memory.log();
    }

    Optional<String> logName() {
        return memory.log().flatMap(SentLog.Known::shared).map(SentLog.Shared::name);
    }

    /** Returns the id of the store that the datadir has worked with; empty when there was none. */
    Optional<String> store() {
        return memory.marks().values().stream().map(CommitMark::store).findFirst();
    }

    /**
     * Checks that the datadir can be used with this database, regardless of commits that the database has lost. The log may lack one commit, made
     * just before a power failure: nothing of it was answered or sent before the log had it.
     *
     * @throws StoreException when its daemon must not start, which concerns no other daemon
     */
    void requireUsable(SqlSession session) throws SQLException {
        requireSameStore(session);
        if (logName().isPresent()
                && newest(session, logName().get()) > memory.log().get().last().number() + 1) {
            throw refused("is a copy, or was restored from one: its daemon has made commits that its "
                    + SentLog.FILE_NAME + " lacks. Use the newest datadir of this daemon; or, when it is lost, move "
                    + SentLog.FILE_NAME + " away: the daemon then begins a new log");
        }
        if (isOfEarlierDatabase(session)) {
            throw refused(
                    "has worked with the database from which the store was moved since: use the datadir that it was"
                            + " moved to, or give this daemon an empty one");
        }
    }

    /** Returns whether the last commits of the log came into the database by a move, so that no daemon with this log made them here. */
    private boolean isOfEarlierDatabase(SqlSession session) throws SQLException {
        if (logName().isEmpty() || memory.log().orElseThrow().last().number() == 0) {
            return false;
        }
        SentLog.Known log = memory.log().get();
        return session.has(
                "SELECT 1 FROM commits JOIN daemons ON start = daemon WHERE random IN (?, ?) AND log <> ?",
                log.last().opening(),
                log.certain().opening(),
                logName().get());
    }

    /** Checks that the datadir has worked with this store, or with none, as {@link #requireUsable} does. */
    void requireSameStore(SqlSession session) throws SQLException {
        if (memory.damage().isPresent()) {
            throw refused(
                    "cannot be compared with it: " + memory.damage().get()
                            + "; put the newest copy back, or, when it is lost, move it away: the daemon then begins a new log");
        }
        for (Map.Entry<String, CommitMark> mark : memory.marks().entrySet()) {
            if (!mark.getValue().store().equals(Commits.id(session))) {
                throw refused("has worked with another store, as " + mark.getKey()
                        + " in it tells: name the right database, or give this daemon an empty datadir; if the database was"
                        + " made anew, stop all daemons and run for the datadir of each: chain-walletd --datadir ... store"
                        + " restored");
            }
        }
        if (memory.log().isPresent() && logName().isEmpty()) {
            throw refused(
                    "has worked with " + SqliteStore.FILE_NAME + ": when the payments are to be moved into this"
                            + " database, run chain-walletd --datadir ... --store ... store move; when they were moved already, this is"
                            + " an older copy of the datadir, so use the newest one; else give this daemon a datadir of its own");
        }
    }

    /** Returns whether the datadir has an undamaged log of this store. */
    boolean hasLogOf(SqlSession session) throws SQLException {
        return memory.damage().isEmpty()
                && log().isPresent()
                && log().get().last().store().equals(Commits.id(session));
    }

    /** Returns which of the commits recorded in the datadir the database lacks; empty when it has all. */
    Optional<String> lacking(SqlSession session) throws SQLException {
        if (memory.log().isPresent()) {
            CommitMark last = memory.log().get().last();
            CommitMark certain = memory.log().get().certain();
            // A log has the number 0 before its first commit.
            if (certain.number() > 0 && !has(session, last.opening()) && !has(session, certain.opening())) {
                return Optional.of("lacks commit " + certain.number() + " of the daemon with the datadir " + folder
                        + ", as " + SentLog.FILE_NAME + " in it tells");
            }
        }
        return lacksBooks(session)
                ? Optional.of("lacks commit " + books().orElseThrow().number() + ", as the books tell")
                : Optional.empty();
    }

    /**
     * Returns whether the database lacks the commit of the books. A pruned commit cannot be looked up, but a store that went back has pruned only to
     * a lower number.
     */
    boolean lacksBooks(SqlSession session) throws SQLException {
        return books().isPresent()
                && !has(session, books().get().opening())
                && session.has(
                        "SELECT 1 FROM store WHERE pruned < ?", books().get().number());
    }

    Optional<CommitMark> books() {
        return Optional.ofNullable(memory.marks().get(StoreMemory.BOOKS));
    }

    static boolean has(SqlSession session, long random) throws SQLException {
        return session.has("SELECT 1 FROM commits WHERE random = ?", random);
    }

    /** Returns the number of the newest commit of a log that the database has; 0 if it has none. */
    static long newest(SqlSession session, String log) throws SQLException {
        return session.number(
                "SELECT coalesce(max(counter), 0) FROM commits JOIN daemons ON start = daemon WHERE log = ?", log);
    }

    /**
     * Start of the daemon that is registered in the database.
     *
     * @param commit the commit that has registered it
     */
    record Registered(long start, PostgresTransactions.Made commit, SentLog log) {}

    /**
     * Registers a start of the daemon, and commits the transaction under the store lock that the caller has begun. Earlier starts write nothing from
     * now on. Those on the same boot of this machine are also marked as ended: the caller holds the lock of the datadir, so their processes have
     * ended.
     *
     * @param leastToPrune size in bytes below which the log is not pruned
     */
    Registered register(SqlSession session, long timeline, long leastToPrune) throws IOException, SQLException {
        String store = Commits.id(session);
        boolean isNew = logName().isEmpty();
        if (isNew) {
            String name = randomName();
            SentLog.write(
                    folder,
                    new CommitMark(store, new SecureRandom().nextLong(), 0),
                    Optional.of(new SentLog.Shared(name, 0)),
                    sink -> {});
        }
        SentLog log = SentLog.open(folder, leastToPrune);
        try {
            String name = log.name().orElseThrow();
            enterLog(session, name, folder);
            long newest = newest(session, name);
            boolean lacksOne =
                    !isNew && newest > memory.log().orElseThrow().last().number();
            if (lacksOne || log.isBare() && KeyringTable.head(session).isPresent()) {
                // The rewritten log will by itself contain every payment of this datadir and every key.
                log.renew();
            }
            long counter = newest + 1;
            String host = host(folder);
            long start = insertStart(session, timeline, name, host);
            session.update(
                    "UPDATE daemons SET superseded = true, ended = ended OR host IS NOT DISTINCT FROM ? AND host <> ''"
                            + " WHERE log = ? AND start <> ?",
                    host,
                    name,
                    start);
            long random = new SecureRandom().nextLong();
            long number = insertCommit(session, start, counter, random);
            SentLog.Lines lines = new SentLog.Lines();
            StoreRestore.peers(session).forEach(lines::add);
            log.announce(new CommitMark(store, random, counter), number, lines);
            session.execute("COMMIT");
            log.made();
            return new Registered(start, new PostgresTransactions.Made(number, random), log);
        } catch (IOException | SQLException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /** Adds a start of the daemon whose log has this name; returns its number. */
    static long insertStart(SqlSession session, long timeline, String log, String host)
            throws IOException, SQLException {
        return session.number(
                "INSERT INTO daemons (timeline, beaten, log, host, machine, shares, release) VALUES (?, "
                        + PostgresSchema.MILLIS + ", ?, ?, ?, true, ?) RETURNING start",
                timeline,
                log,
                host,
                Files.isReadable(MACHINE) ? Files.readString(MACHINE).strip() : null,
                Schema.version());
    }

    /** Registers the log of a datadir, or updates the path of the datadir. */
    static void enterLog(SqlSession session, String name, Path datadir) throws SQLException {
        session.update(
                "INSERT INTO logs (name, datadir) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET datadir = excluded.datadir",
                name,
                datadir.toString());
    }

    static String randomName() {
        return String.format("%016x", new SecureRandom().nextLong());
    }

    static long insertCommit(SqlSession session, long start, long counter, long random) throws SQLException {
        return session.number(
                "INSERT INTO commits (number, daemon, counter, random)"
                        + " SELECT coalesce(max(number), 0) + 1, ?, ?, ? FROM commits RETURNING number",
                start,
                counter,
                random);
    }

    /** Returns the boot id of this machine's kernel and the inode of the datadir; empty where the system does not provide them. */
    static String host(Path folder) throws IOException {
        if (!Files.isReadable(BOOT_ID)) {
            return "";
        }
        Object key = Files.readAttributes(folder, BasicFileAttributes.class).fileKey();
        return key == null ? "" : Files.readString(BOOT_ID).strip() + " " + key;
    }
}
