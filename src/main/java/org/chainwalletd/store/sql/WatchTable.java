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
                watched.address(),
                watched.label(),
                watched.birth());
    }

    /** Removes the row of an address; returns whether there was one. */
    static boolean remove(SqlSession session, Address address) throws SQLException {
        return session.update("DELETE FROM watch_only WHERE address = ?", address) > 0;
    }

    static Optional<WatchOnly> find(SqlSession session, Address address) throws SQLException {
        return session.queryOne(
                "SELECT address, label, birth FROM watch_only WHERE address = ?", WatchTable::row, address);
    }

    /** Lists all rows, ordered by address. */
    static List<WatchOnly> all(SqlSession session) throws SQLException {
        return session.query("SELECT address, label, birth FROM watch_only ORDER BY address", WatchTable::row);
    }

    /** Lists up to {@code most} rows after an address, ordered by address; the first rows if it is empty. */
    static List<WatchOnly> after(SqlSession session, Optional<Address> after, int most) throws SQLException {
        return session.query(
                "SELECT address, label, birth FROM watch_only WHERE address > ? ORDER BY address LIMIT ?",
                WatchTable::row,
                after.map(Address::toArray).orElse(new byte[0]),
                most);
    }

    private static WatchOnly row(Row row) throws SQLException {
        return new WatchOnly(row.address("address"), row.ifText("label"), row.ifNumber("birth"));
    }
}
