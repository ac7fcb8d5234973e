package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.SqliteStore;

/**
 * Store that is being moved into the database, as described by the only row of the table {@code moving}. The table exists until the move has ended;
 * no daemon opens the database meanwhile.
 *
 * <p>A move back to a file has such a row too, which stays permanently unless the move is cancelled, and which earlier releases recognise as well.
 * Its source is a commit that belongs to no store.
 *
 * @param source last commit of the file when it was last copied, or when the move was begun
 * @param copied whether the rows are in the database; for a move back, whether it has ended
 * @param log name of the log that the datadir will have, empty before the rows are copied; for a move back, name of the log that it has
 * @param random random number of the commit that the copy is
 * @param datadir of the file
 */
record PostgresMoving(CommitMark source, boolean copied, String log, long random, String datadir) {
    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS moving (one BIGINT PRIMARY KEY CHECK (one = 1), store TEXT NOT NULL,"
                    + " opening BIGINT NOT NULL, number BIGINT NOT NULL, copied BOOLEAN NOT NULL, log TEXT NOT NULL,"
                    + " random BIGINT NOT NULL, datadir TEXT NOT NULL)";

    /** Describes a move of the store back to a file. */
    static PostgresMoving back(String log, long random, Path datadir) {
        return new PostgresMoving(new CommitMark("", 0, 0), false, log, random, datadir.toString());
    }

    boolean isBack() {
        return source.store().isEmpty();
    }

    /** Reads the unfinished move into the database; empty when there is none. */
    static Optional<PostgresMoving> in(SqlSession session) throws SQLException {
        boolean made = Schema.isOnServer(session, "moving");
        return made
                ? session.queryOne(
                        "SELECT store, opening, number, copied, log, random, datadir FROM moving",
                        row -> new PostgresMoving(
                                new CommitMark(row.text("store"), row.number("opening"), row.number("number")),
                                row.truth("copied"),
                                row.text("log"),
                                row.number("random"),
                                row.text("datadir")))
                : Optional.empty();
    }

    /**
     * Checks that no store is being moved into the database, and that its store is not being, or has not been, moved out of it.
     *
     * @throws StoreException if the check fails
     */
    static void requireNone(SqlSession session, String database) throws SQLException {
        Optional<PostgresMoving> move = in(session);
        if (move.isPresent()) {
            throw GroupCommitWriter.unavailable(database, move.get().why(Commits.movedTo(session)), null);
        }
    }

    /**
     * Returns why the database is not used, as a clause that completes "store …".
     *
     * @param moved file that the store was moved to, if any
     */
    String why(Optional<String> moved) {
        String file = SqliteStore.FILE_NAME + " in " + datadir;
        if (!isBack()) {
            return "lacks payments yet, because the move of " + file
                    + " has not ended: run chain-walletd --datadir ... --store ... store move again";
        }
        return moved.isPresent()
                ? "was moved back to " + file + ", which alone knows what is paid since: start there without --store"
                        + (copied
                                ? "; if that is refused, run store move --back once more"
                                : ", after running store move --back to its end")
                        + "; or name an empty database"
                : "is being moved back to " + file
                        + ": run chain-walletd --datadir ... --store ... store move --back again, or store move --give-up to go on"
                        + " with the database";
    }

    /** Records this move, replacing any earlier record of it. */
    void enter(SqlSession session) throws SQLException {
        session.execute(TABLE);
        session.update("DELETE FROM moving");
        session.update(
                "INSERT INTO moving (one, store, opening, number, copied, log, random, datadir)"
                        + " VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
                source.store(),
                source.opening(),
                source.number(),
                copied,
                log,
                random,
                datadir);
    }

    static void end(SqlSession session) throws SQLException {
        session.execute("DROP TABLE moving");
    }
}
