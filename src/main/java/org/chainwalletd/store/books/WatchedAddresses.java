package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.chain.Address;

/** All addresses that the ledger watches. */
final class WatchedAddresses {
    /**
     * A part of the addresses at once, end to end: a row for each would cost the driver three times as much. SQLite joins the bytes as they are,
     * whichever these are; the count shows that none is missing.
     */
    private static final String SOME_WATCHED =
            "SELECT COUNT(*), CAST(group_concat(address, '') AS BLOB) FROM watched WHERE address >= ? AND address < ?";

    private static final int PARTS = 4;

    private WatchedAddresses() {}

    /** Each address once, end to end, in several arrays. */
    static List<byte[]> joined(BooksSession session) {
        List<byte[]> parts = new ArrayList<>(PARTS);
        for (int part = 0; part < PARTS; part++) {
            session.visit(SOME_WATCHED, row -> parts.add(joined(row)), border(part), border(part + 1));
        }
        return parts;
    }

    /** Where a part begins; the last one ends above the highest address that there may be, which is shorter. */
    private static byte[] border(int part) {
        if (part < PARTS) {
            return new byte[] {(byte) (part * (1 << Byte.SIZE) / PARTS)};
        }
        byte[] end = new byte[Address.LENGTH + 1];
        Arrays.fill(end, (byte) -1);
        return end;
    }

    private static byte[] joined(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes(2);
        byte[] joined = bytes == null ? new byte[0] : bytes;
        if (joined.length != row.getLong(1) * Address.LENGTH) {
            throw new SQLException("not all watched addresses could be read");
        }
        return joined;
    }
}
