package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.SentLine;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.StoreRestore;

/**
 * Completes a PostgreSQL store that lacks payments from the logs of all daemons. Each log is first copied into the table {@code restoring}: only the
 * records after the newest commit of the log that the database has. Once all logs are copied or declared lost, the records are added in the order in
 * which their commits were made, across all daemons, and the store resumes. Everything happens in transactions of the database and no file is
 * changed, so an interrupted restore is simply run again.
 */
public final class PostgresRestore {
    private static final String STOPPED =
            "the store %s is being restored: run for the datadir of each daemon that is missing:"
                    + " chain-walletd --datadir ... store restored";
    /** Place of the commit recorded in the books, before the records of the log. */
    private static final long BOOKS = -1;

    private static final int STARTS_FORGOTTEN = 10_000;

    /**
     * Outcome of one run. Both are empty when nothing was done: the database has everything that the datadir has recorded, and is not stopped.
     *
     * @param restored present when the store was completed and has resumed
     * @param missing the logs that are still needed, for which the store stays stopped
     */
    public record Step(Optional<StoreRestore.Restored> restored, List<Log> missing) {
        public Step {
            missing = List.copyOf(missing);
        }
    }

    /**
     * Log of a daemon.
     *
     * @param name by which it is declared lost
     * @param datadir path at the last start of its daemon; empty when only other logs mention it
     */
    public record Log(String name, String datadir) {}

    private final SqlSession session;
    private final String database;
    private final long timeline;

    PostgresRestore(SqlSession session, String database, long timeline) {
        this.session = session;
        this.database = database;
        this.timeline = timeline;
    }

    private StoreException refused(String why) {
        return StoreException.unavailable("store " + database + ": " + why, null);
    }

    Step run(Path folder, Optional<CommitMark> books, Set<String> without) throws IOException, SQLException {
        PostgresDatadir datadir = PostgresDatadir.of(folder, books, database);
        session.execute(PostgresTransactions.LOCK);
        session.execute(PostgresTransactions.NO_TIMEOUTS);
        PostgresMoving.requireNone(session, database);
        takeStore(datadir);
        boolean ownLost = without.contains(SentLog.FILE_NAME);
        if (!ownLost) {
            datadir.requireUsable(session);
        }
        boolean stopped = session.has("SELECT 1 FROM store WHERE stopped IS NOT NULL");
        if (!stopped && datadir.lacking(session).isEmpty()) {
            session.execute("ROLLBACK");
            if (datadir.logName().isEmpty()) {
                throw refused("there is nothing to be restored from the datadir " + folder.toAbsolutePath()
                        + ", in which no daemon of it has kept a log: name the one of a daemon");
            }
            if (!without.isEmpty()) {
                throw refused("it has everything that the datadir " + folder.toAbsolutePath()
                        + " remembers, and is not stopped: there is nothing to be restored, nor to be given up");
            }
            return new Step(Optional.empty(), List.of());
        }
        session.update(
                "UPDATE store SET stopped = coalesce(stopped, ?) WHERE one = 1", String.format(STOPPED, database));
        // An outdated log that is given up completes the store as far as it goes, whichever datadir is run last.
        if (datadir.logName().isPresent() && (!ownLost || datadir.hasLogOf(session))) {
            copy(folder, datadir);
        }
        for (String lost : without) {
            declareLost(lost.equals(SentLog.FILE_NAME) ? datadir.logName() : Optional.of(lost));
        }
        List<Log> missing = session.query(
                "SELECT name, datadir FROM logs WHERE name NOT IN (SELECT log FROM restoring_logs) ORDER BY name",
                row -> new Log(row.text("name"), row.text("datadir")));
        Optional<StoreRestore.Restored> restored = missing.isEmpty() ? Optional.of(finish()) : Optional.empty();
        session.flush();
        session.execute("COMMIT");
        CrashPoint.RESTORE_ENTERED.reached();
        return new Step(restored, missing);
    }

    /** Gives a database without payments the id of the store that the datadir has worked with. */
    private void takeStore(PostgresDatadir datadir) throws SQLException {
        Optional<String> other = datadir.store().filter(id -> datadir.logName().isPresent());
        if (other.isPresent()
                && session.query("SELECT 1 FROM spends UNION ALL SELECT 1 FROM kept_spends LIMIT 1", row -> true)
                        .isEmpty()) {
            session.update("UPDATE identity SET id = ? WHERE one = 1", (Object)
                    HexFormat.of().parseHex(other.get()));
        }
    }

    private void declareLost(Optional<String> name) throws SQLException {
        if (name.isEmpty()) {
            return;
        }
        if (!session.has("SELECT 1 FROM logs WHERE name = ?", name.get())) {
            throw refused("no daemon has a log with the name " + name.get() + "; the names are "
                    + session.query("SELECT name FROM logs ORDER BY name", row -> row.getString(1)));
        }
        session.update(
                "INSERT INTO restoring_logs (log, complete) VALUES (?, false)"
                        + " ON CONFLICT (log) DO UPDATE SET complete = excluded.complete",
                name.get());
    }

    /** Copies the records of the log in {@code folder} that the database lacks. */
    private void copy(Path folder, PostgresDatadir datadir) throws IOException, SQLException {
        String name = datadir.logName().orElseThrow();
        SentLog.Known end = datadir.log().orElseThrow();
        session.update("DELETE FROM restoring WHERE log = ?", name);
        session.update(
                "INSERT INTO restoring_logs (log, complete) VALUES (?, true)"
                        + " ON CONFLICT (log) DO UPDATE SET complete = excluded.complete",
                name);
        know(name, folder.toAbsolutePath().toString());
        long[] newest = {0};
        SentLog.visit(folder, (mark, shared, lines, from) -> {
            if (attempt(() -> PostgresDatadir.has(session, mark.opening()))) {
                newest[0] = Math.max(newest[0], mark.number());
            }
        });
        long[] place = {0};
        SentLog.visit(folder, (mark, shared, lines, from) -> {
            long number = shared.orElseThrow().number();
            boolean certain = !mark.equals(end.last()) || end.last().equals(end.certain());
            if (mark.number() > newest[0]) {
                attempt(() ->
                        stage(name, place[0]++, mark, number, certain, Arrays.copyOfRange(lines, from, lines.length)));
            }
        });
        if (datadir.lacksBooks(session)) {
            CommitMark books = datadir.books().orElseThrow();
            stage(name, BOOKS, new CommitMark(books.store(), books.opening(), 0), books.number(), true, new byte[0]);
        }
    }

    @FunctionalInterface
    private interface Statement<T> {
        T run() throws SQLException, IOException;
    }

    private static <T> T attempt(Statement<T> statement) throws IOException {
        try {
            return statement.run();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Void stage(String log, long place, CommitMark mark, long number, boolean certain, byte[] lines)
            throws SQLException, IOException {
        session.update(
                "INSERT INTO restoring (log, place, random, counter, number, made, lines) VALUES (?, ?, ?, ?, ?, ?, ?)",
                log,
                place,
                mark.opening(),
                mark.number(),
                number,
                certain,
                lines);
        for (SentLine line : SentLine.decode(lines, 0)) {
            if (line instanceof SentLine.Peer peer) {
                know(peer.log(), "");
            }
        }
        return null;
    }

    private void know(String log, String datadir) throws SQLException {
        session.update("INSERT INTO logs (name, datadir) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", log, datadir);
    }

    /**
     * Rejects logs none of which has the commit recorded in the books, unless a log was declared lost: any of the daemons may have made that commit.
     */
    private void requireAsNewAsBooks() throws SQLException {
        if (session.has(
                "SELECT 1 FROM restoring WHERE place = ? AND number > (SELECT coalesce(max(number), 0) FROM restoring"
                        + " WHERE place <> ?)",
                BOOKS,
                BOOKS)) {
            throw outdated(" of one of its daemons is older than the payments that are missing, as the books tell,");
        }
    }

    /**
     * Refuses a log that ends two or more commits before one that another daemon has seen. One missing commit is accepted: after a power failure the
     * log may lack its last one, of which nothing was answered or sent. So a copy that is outdated by exactly one commit is not detected.
     *
     * <p>A log that was given up although it ends earlier is not continued: its numbers would be used again, and a later copy of it would look newer
     * than it is. Its daemon is refused until it begins a new log.
     */
    private void requireAsNewAsPeersKnow(Map<String, Long> known) throws SQLException {
        for (Map.Entry<String, Long> peer : known.entrySet()) {
            record Staged(String datadir, boolean complete) {}
            Optional<Staged> log = session.queryOne(
                    "SELECT datadir, complete FROM logs JOIN restoring_logs ON log = name WHERE name = ?",
                    row -> new Staged(row.text("datadir"), row.truth("complete")),
                    peer.getKey());
            long newest = PostgresDatadir.newest(session, peer.getKey());
            if (log.isPresent() && log.get().complete() && peer.getValue() > newest + 1) {
                throw outdated(
                        " in " + log.get().datadir() + " lacks commits of its daemon that another daemon has seen,");
            } else if (log.isPresent() && !log.get().complete() && peer.getValue() > newest) {
                long start = session.number("SELECT max(start) FROM daemons WHERE log = ?", peer.getKey());
                PostgresDatadir.insertCommit(session, start, peer.getValue(), new SecureRandom().nextLong());
            }
        }
    }

    private StoreException outdated(String which) {
        return refused(SentLog.FILE_NAME + which
                + " so that payments stay forgotten, and their client tokens pay again: put the newest copy"
                + " of each datadir's back, and run this for each of them; or, when one is lost, stop the worker that"
                + " pays, look up on the chain what it has paid, mark that in its books, and run this for that datadir"
                + " with --without " + SentLog.FILE_NAME);
    }

    /** Adds all records and lets the store resume. */
    private StoreRestore.Restored finish() throws IOException, SQLException {
        boolean complete = !session.has("SELECT 1 FROM restoring_logs WHERE NOT complete");
        if (complete) {
            requireAsNewAsBooks();
        }
        session.update("UPDATE daemons SET superseded = true");
        session.update(
                "INSERT INTO daemons (timeline, log, superseded, ended) SELECT ?, log, true, true FROM restoring_logs",
                timeline);
        // Lost commits are recorded as made again, so that each datadir finds the newest commit that it has recorded.
        session.update("INSERT INTO commits (number, daemon, counter, random)"
                + " SELECT (SELECT coalesce(max(number), 0) FROM commits) + row_number() OVER (ORDER BY number, log, place),"
                + " (SELECT max(start) FROM daemons d WHERE d.log = r.log), counter, random"
                + " FROM (SELECT DISTINCT ON (log, random) * FROM restoring ORDER BY log, random, place) r");
        // Skips numbers of starts that the database may have forgotten: their processes may still be running.
        session.query(
                "SELECT count(nextval(pg_get_serial_sequence('daemons', 'start'))) FROM generate_series(1, ?)",
                row -> true,
                STARTS_FORGOTTEN);
        long random = new SecureRandom().nextLong();
        long start = session.number(
                "INSERT INTO daemons (timeline, superseded, ended) VALUES (?, true, true) RETURNING start", timeline);
        long number = PostgresDatadir.insertCommit(session, start, 1, random);
        PostgresTransactions.writeAs(session, number, start);
        StoreRestore restore = new StoreRestore(session);
        requireAsNewAsPeersKnow(enterAll(restore, number));
        restore.decide();
        restore.hold(random, !complete);
        session.update("DELETE FROM logs WHERE name IN (SELECT log FROM restoring_logs WHERE NOT complete)");
        session.update("DELETE FROM restoring");
        session.update("DELETE FROM restoring_logs");
        session.update("UPDATE store SET stopped = NULL, system = " + PostgresSchema.SYSTEM);
        return restore.report(new CommitMark(Commits.id(session), random, number), complete);
    }

    /**
     * Adds the records in the order of their commits. The number of a commit that failed was assigned again: the commit that was made takes
     * precedence.
     *
     * @return number of the newest commit of each log, as far as the records of the logs name it
     */
    private Map<String, Long> enterAll(StoreRestore restore, long commit) throws IOException, SQLException {
        record Place(String log, long place, long start) {}
        List<Place> places = session.query(
                "SELECT r.log, r.place, (SELECT max(start) FROM daemons d WHERE d.log = r.log) AS start FROM restoring r"
                        + " WHERE length(r.lines) > 0 ORDER BY r.number, r.made, r.log, r.place",
                row -> new Place(row.text("log"), row.number("place"), row.number("start")));
        record Record(byte[] lines, boolean made) {}
        Map<String, Long> known = new TreeMap<>();
        for (Place place : places) {
            PostgresTransactions.writeAs(session, commit, place.start());
            Record record = session.queryOne(
                            "SELECT lines, made FROM restoring WHERE log = ? AND place = ?",
                            row -> new Record(row.raw("lines"), row.truth("made")),
                            place.log(),
                            place.place())
                    .orElseThrow();
            restore.enter(record.lines(), record.made());
            for (SentLine line : SentLine.decode(record.lines(), 0)) {
                if (line instanceof SentLine.Peer peer) {
                    known.merge(peer.log(), peer.counter(), Math::max);
                }
            }
        }
        return known;
    }
}
