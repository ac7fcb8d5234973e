package org.chainwalletd.store.postgres;

import java.util.List;

/**
 * Registry through which the daemons of a database find each other: the address of each daemon's node, and the number of the current gathering. A
 * node belongs to the gathering under whose number it joined the other nodes. No payment depends on these rows. Methods block, on a separate
 * connection.
 */
public final class PostgresPeers implements AutoCloseable {
    /** Age of a heartbeat, by the server's clock, from which on other daemons do not try to reach this one. */
    private static final long HEARD_MILLIS = 5_000;

    private static final String HEARD =
            "NOT ended AND NOT superseded AND beaten > " + PostgresSchema.MILLIS + " - " + HEARD_MILLIS;

    private final PostgresSession database;
    private final long start;

    /**
     * @param database whose connections time out when it does not respond
     * @param start of this daemon
     */
    PostgresPeers(Postgres.Connector database, long start) {
        this.database = new PostgresSession(database);
        this.start = start;
    }

    /**
     * Another daemon with a recent heartbeat and a node.
     *
     * @param node its address
     * @param gathered number of the gathering that it belongs to; 0 for none yet
     */
    public record Peer(String node, long gathered) {}

    /**
     * The current gathering, and the daemons that are present.
     *
     * @param number 0 before the first gathering
     * @param founder address of the node that has begun it; empty before the first gathering
     * @param millis server time when it was read, milliseconds since 1970
     */
    public record Gathering(long number, String founder, long millis, List<Peer> peers) {}

    public Gathering read() {
        return database.run(session -> {
            List<Peer> peers = session.query(
                    "SELECT node, gathered FROM daemons WHERE node IS NOT NULL AND start <> ? AND " + HEARD
                            + " ORDER BY start",
                    row -> new Peer(row.text("node"), row.number("gathered")),
                    start);
            return session.queryOne(
                            "SELECT number, founder, " + PostgresSchema.MILLIS
                                    + " AS millis FROM gathering WHERE one = 1",
                            row -> new Gathering(
                                    row.number("number"), row.text("founder"), row.number("millis"), peers))
                    .orElseThrow();
        });
    }

    /** Records the address of this daemon's node, which belongs to no gathering yet; an empty string when the daemon no longer has a node. */
    public void tellNode(String node) {
        database.run(session ->
                session.update("UPDATE daemons SET node = nullif(?, ''), gathered = 0 WHERE start = ?", node, start));
    }

    /** Records that this daemon's node belongs to a gathering. */
    public void tellGathered(long number) {
        database.run(session -> session.update("UPDATE daemons SET gathered = ? WHERE start = ?", number, start));
    }

    /**
     * Begins a gathering with this daemon's node, unless another daemon has begun one since.
     *
     * @param before number of the gathering as it was read
     * @param anyway whether to begin it although live daemons belong to the current gathering; otherwise neither they nor its founder may be present
     * @return whether it was begun, in which case it has the next number
     */
    public boolean found(long before, String node, boolean anyway) {
        // The row serialises concurrent attempts: the second one finds a different number in it.
        return database.run(session -> session.update(
                        "UPDATE gathering SET number = number + 1, founder = ? WHERE one = 1 AND number = ? AND (? = 1 OR NOT EXISTS"
                                + " (SELECT 1 FROM daemons WHERE start <> ? AND (gathered = number OR node = founder) AND gathering.number > 0 AND "
                                + HEARD + "))",
                        node,
                        before,
                        anyway ? 1L : 0L,
                        start))
                > 0;
    }

    @Override
    public void close() {
        database.close();
    }
}
