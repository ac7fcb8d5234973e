package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.WatchStore.WatchOnly;

/** The table {@code watch_only}: addresses that are watched although their keys are elsewhere. */
final class WatchTable {
    private WatchTable() {}

    /** Adds the row, or replaces the one of the same address. */
    static void put(SqlSession session, WatchOnly watched) throws SQLException {
        session.update(
                "INSERT INTO watch_only (address, label, birth) VALUES (?, ?, ?)"
                        + " ON CONFLICT (address) DO UPDATE SET label = excluded.label, birth = excluded.birth",
                watched.address().toArray(),
                watched.label().orElse(null),
                watched.birth().isPresent() ? (Object) watched.birth().getAsLong() : null);
    }

    /** Removes the row of an address. Returns whether there was one. */
    static boolean remove(SqlSession session, Address address) throws SQLException {
        return session.update("DELETE FROM watch_only WHERE address = ?", (Object) address.toArray()) > 0;
    }

    static Optional<WatchOnly> find(SqlSession session, Address address) throws SQLException {
        return session.queryOne(
                "SELECT address, label, birth FROM watch_only WHERE address = ?", WatchTable::row, (Object)
                        address.toArray());
    }

    /** Lists all rows, in the order of their addresses. */
    static List<WatchOnly> all(SqlSession session) throws SQLException {
        return session.query("SELECT address, label, birth FROM watch_only ORDER BY address", WatchTable::row);
    }

    /**
     * Lists rows in the order of their addresses.
     *
     * @param after bytes of the address after which they begin; empty for all
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
