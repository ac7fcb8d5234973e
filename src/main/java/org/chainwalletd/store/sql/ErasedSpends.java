package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.List;

/** Rows of the table {@code erased_spends}, see {@link KeptSpends}, in the form in which {@code sent.log} records them. */
final class ErasedSpends {
    private ErasedSpends() {}

    /** Returns up to {@code most} erased spends with greater numbers, ordered by number. */
    static List<SentLine.Erased.Item> after(SqlSession session, long number, int most) throws SQLException {
        return session.query(
                "SELECT id, tx_id, token_key, token_rest FROM erased_spends WHERE id > ? ORDER BY id LIMIT ?",
                row -> new SentLine.Erased.Item(
                        row.number("id"), row.hash("tx_id"), row.number("token_key"), row.number("token_rest")),
                number,
                most);
    }

    /** Returns whether a kept or erased row records the transaction that the token of an erased spend was bound to. */
    static boolean knows(SqlSession session, SentLine.Erased.Item erased) throws SQLException {
        return session.has(
                "SELECT 1 FROM erased_spends WHERE token_key = ? AND token_rest = ? AND tx_id = ?"
                        + " UNION ALL SELECT 1 FROM kept_spends WHERE token_key = ? AND tx_id = ?",
                erased.key(),
                erased.rest(),
                erased.txId(),
                erased.key(),
                erased.txId());
    }

    static void insert(SqlSession session, long number, SentLine.Erased.Item erased) throws SQLException {
        session.update(KeptSpends.INSERT_ERASED, number, erased.txId(), erased.key(), erased.rest());
        KeptSpends.neverReassign(session, number);
    }
}
