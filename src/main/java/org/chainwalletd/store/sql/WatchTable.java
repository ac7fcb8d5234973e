package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.WatchStore.WatchOnly;

/** The table {@code watch_only}: watch-only addresses. */
final class WatchTable {
    private WatchTable() {}

    /** Adds a row, or replaces the row of the same address. */
    static void put(SqlSession session, WatchOnly watched) throws SQLException {
        session.update(
                "INSERT INTO watch_only (address, label, birth) VALUES (?, ?, ?)"
                        + " ON CONFLICT (address) DO UPDATE SET label = excluded.label, birth = excluded.birth",
                watched.address().toArray(),
                watched.label().orElse(null),
                watched.birth().isPresent() ? (Object) watched.birth().getAsLong() : null);
    }

    /** Removes the row of an address; returns whether there was one. */
    static boolean remove(SqlSession session, Address address) throws SQLException {
        return session.update("DELETE FROM watch_only WHERE address = ?", (Object) address.toArray()) > 0;
    }

    static Optional<WatchOnly> find(SqlSession session, Address address) throws SQLException {
        return session.queryOne(
                "SELECT address, label, birth FROM watch_only WHERE address = ?", WatchTable::row, (Object)
                        address.toArray());
    }

    /** Lists all rows, ordered by address. */
    static List<WatchOnly> all(SqlSession session) throws SQLException {
        return session.query("SELECT address, label, birth FROM watch_only ORDER BY address", WatchTable::row);
    }

    /**
     * Lists up to {@code most} rows, ordered by address.
     *
     * @param after bytes of the address after which the list begins; empty for the first row
     */
    static List<WatchOnly> after(SqlSession session, byte[] after, int most) throws SQLException {
        return session.query(
                "SELECT address, label, birth FROM watch_only WHERE address > ? ORDER BY address LIMIT ?",
                WatchTable::row,
                after,
                most);
    }

    private static WatchOnly row(Row row) throws SQLException {
        return new WatchOnly(row.address("address"), row.ifText("label"), row.ifNumber("birth"));
    }
}
