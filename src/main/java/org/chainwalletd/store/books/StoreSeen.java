package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.SqlSession;
import org.chainwalletd.store.Sqlite;

/** The table {@code store_seen}: the newest commit of the money store when the books were written last. */
final class StoreSeen {
    static final String NAME = "store";

    static final List<List<String>> STEPS =
            List.of(List.of("CREATE TABLE store_seen (one INTEGER PRIMARY KEY CHECK (one = 1), store TEXT NOT NULL,"
                    + " opening INTEGER NOT NULL, number INTEGER NOT NULL)"));

    private StoreSeen() {}

    static void write(SqlSession session, CommitMark mark) throws SQLException {
        session.update(
                "INSERT OR REPLACE INTO store_seen (one, store, opening, number) VALUES (1, ?, ?, ?)",
                mark.store(),
                mark.opening(),
                mark.number());
    }

    /** Whether the file is of a release that remembers commits. */
    static boolean isIn(SqlSession session) throws SQLException {
        return Sqlite.hasTable(session, "store_seen");
    }

    static Optional<CommitMark> read(SqlSession session) throws SQLException {
        return isIn(session)
                ? session.queryOne(
                        "SELECT store, opening, number FROM store_seen WHERE one = 1",
                        row -> new CommitMark(row.getString(1), row.getLong(2), row.getLong(3)))
                : Optional.empty();
    }

    /** Everything that spent a coin of ours at this height or above, in the order of the chain. */
    static List<Hash256> spenders(SqlSession session, long height) throws SQLException {
        return session.query(
                "SELECT spent_by FROM spendings WHERE scan = 0 AND height >= ? GROUP BY spent_by ORDER BY min(height)",
                row -> Hash256.of(row.getBytes(1)),
                height);
    }
}
