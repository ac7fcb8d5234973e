package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.CommitMark;

/**
 * The tables {@code identity} and {@code commits}: the id of this store, its number of commits, and for each opening the number of its first commit
 * and a random number. One process writes at a time, so commits are consecutive within an opening, and two copies of a store that were both written
 * differ in their openings: one row per start distinguishes them as well as one row per commit would.
 */
public final class Commits {
    private Commits() {}

    /** Returns the id of the store. */
    public static String id(SqlSession session) throws SQLException {
        return session.queryOne(
                        "SELECT id FROM identity WHERE one = 1",
                        row -> HexFormat.of().formatHex(row.getBytes(1)))
                .orElseThrow();
    }

    /** Returns the store's last commit. */
    public static CommitMark last(SqlSession session) throws SQLException {
        long opening = session.ifNumber("SELECT random FROM commits WHERE number = (SELECT max(number) FROM commits)")
                .orElse(CommitMark.BEFORE_OPENINGS);
        return new CommitMark(id(session), opening, number(session));
    }

    private static long number(SqlSession session) throws SQLException {
        return session.number("SELECT commits FROM identity WHERE one = 1");
    }

    static boolean has(SqlSession session, CommitMark mark) throws SQLException {
        return lacking(session, mark).isEmpty();
    }

    /** Returns why the store does not contain a commit recorded elsewhere; empty when it does. */
    public static Optional<String> lacking(SqlSession session, CommitMark mark) throws SQLException {
        if (!id(session).equals(mark.store())) {
            return Optional.of("is not the store that this datadir has worked with");
        }
        OptionalLong last = lastOf(session, mark.opening());
        if (last.isPresent() && mark.number() <= last.getAsLong()) {
            return Optional.empty();
        }
        long missing = mark.number() - number(session);
        return Optional.of(
                missing > 0
                        ? "is older than the one that this datadir has worked with: it lacks the last " + missing
                                + " commits"
                        : "is a copy that went another way than the one that this datadir has worked with, which had"
                                + " other commits up to number " + mark.number());
    }

    /** Returns the number of the last commit of an opening; empty when the store never had that opening. */
    static OptionalLong lastOf(SqlSession session, long opening) throws SQLException {
        OptionalLong first = opening == CommitMark.BEFORE_OPENINGS
                ? OptionalLong.of(0)
                : session.ifNumber("SELECT number FROM commits WHERE random = ?", opening);
        if (first.isEmpty()) {
            return OptionalLong.empty();
        }
        OptionalLong next = session.ifNumber(
                "SELECT number FROM commits WHERE number > ? ORDER BY number LIMIT 1", first.getAsLong());
        return OptionalLong.of(next.isPresent() ? next.getAsLong() - 1 : number(session));
    }

    /**
     * Records the number of a commit, inside its transaction.
     *
     * @return whether the store may be written: false after it was moved, in which case nothing is recorded
     */
    static boolean count(SqlSession session, long number) throws SQLException {
        return session.update("UPDATE identity SET commits = ? WHERE one = 1 AND moved IS NULL", number) == 1;
    }

    /** Returns the name of the database that the store was moved to; empty while payments are made from this store. */
    public static Optional<String> movedTo(SqlSession session) throws SQLException {
        return session.queryOne("SELECT moved FROM identity WHERE one = 1", row -> row.ifText("moved"))
                .orElseThrow();
    }

    /** Marks the store as moved to the database of this name, or clears that mark. */
    public static void mark(SqlSession session, Optional<String> database) throws SQLException {
        session.update("UPDATE identity SET moved = ? WHERE one = 1", database);
    }

    /** Returns the operator message about a moved store. */
    static String moved(String store, String database) {
        return "the store " + store + " was moved to " + database + ", which alone knows what is paid since: start with"
                + " --store " + database;
    }

    /** Records that the commit of this number is the first of an opening. */
    static void open(SqlSession session, long number, long random) throws SQLException {
        session.update("INSERT INTO commits (number, random) VALUES (?, ?)", number, random);
    }

    /** Returns whether the store was ever written by a release that keeps a {@code sent.log} beside it. */
    static boolean wasLogged(SqlSession session) throws SQLException {
        return last(session).opening() != CommitMark.BEFORE_OPENINGS;
    }

    /** Returns whether payments may be missing in the store because it was restored without a log that contained them. */
    public static boolean isForgetful(SqlSession session) throws SQLException {
        return session.number("SELECT forgetful FROM identity WHERE one = 1") == 1;
    }
}
