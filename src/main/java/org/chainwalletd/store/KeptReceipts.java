package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.ReceiptStore.Bound;

/**
 * The table {@code kept_receipts}: one row for each payment with a token that is buried, a third of what it was as a spend. A token is there
 * as the first 16 bytes of its SHA-256. Rows are added in the order in which their payments were settled, so that the oldest are the first.
 */
final class KeptReceipts {
    /** No row has it. */
    private static final long BEFORE_ALL = 0;

    private KeptReceipts() {}

    /** The first 16 bytes of the digest of a token. */
    private record TokenHash(long key, long rest) {
        static TokenHash of(String token) {
            ByteBuffer digest = ByteBuffer.wrap(
                    Hash256.sha256(token.getBytes(StandardCharsets.UTF_8)).toArray());
            return new TokenHash(digest.getLong(), digest.getLong());
        }
    }

    /** @param settledAt when it changed last as a spend: its token expires by that */
    private record Settled(long id, long settledAt) {}

    /** Puts the answer in the place of the spend. */
    static void replace(SqlSession session, SpendRow spend, Bytes answer) throws SQLException {
        Intent intent = spend.intent();
        TokenBinding binding = intent.token().orElseThrow();
        TokenHash token = TokenHash.of(binding.token());
        insert(
                session,
                new SentLine.Kept(
                        intent.txId(), token.key(), token.rest(), binding.digest(), intent.changedAt(), answer));
        CrashPoint.RECEIPTS_IN_COMMIT.reached();
        SpendTable.remove(session, spend.id());
    }

    static void insert(SqlSession session, SentLine.Kept kept) throws SQLException {
        byte[] txId = kept.txId().toArray();
        session.update(
                "INSERT INTO kept_receipts (tx_id, short_id, token_key, token_rest, digest, settled_at, answer)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                txId,
                SpendRow.shortId(txId),
                kept.tokenKey(),
                kept.tokenRest(),
                kept.digest().toArray(),
                kept.settledAt(),
                kept.answer().toArray());
    }

    /** All rows, in the order in which they were added. */
    static void visit(SqlSession session, SqlSession.RowVisitor visitor) throws SQLException {
        session.visit(
                "SELECT tx_id, token_key, token_rest, digest, settled_at, answer FROM kept_receipts"
                        + " WHERE id > ? ORDER BY id",
                visitor,
                BEFORE_ALL);
    }

    static SentLine.Kept read(Row row) throws SQLException {
        return new SentLine.Kept(
                row.hash("tx_id"),
                row.number("token_key"),
                row.number("token_rest"),
                row.hash("digest"),
                row.number("settled_at"),
                row.bytes("answer"));
    }

    /** The newest that the token is bound to, unless it was settled before {@code closedBefore}. */
    static Optional<Bound.ToReceipt> bound(SqlSession session, String token, long closedBefore) throws SQLException {
        TokenHash hash = TokenHash.of(token);
        return session.queryOne(
                "SELECT tx_id, digest, answer FROM kept_receipts WHERE token_key = ? AND token_rest = ?"
                        + " AND settled_at >= ? ORDER BY id DESC LIMIT 1",
                row -> new Bound.ToReceipt(row.hash("tx_id"), row.hash("digest"), row.bytes("answer")),
                hash.key(),
                hash.rest(),
                closedBefore);
    }

    static boolean has(SqlSession session, Hash256 txId) throws SQLException {
        byte[] key = txId.toArray();
        return session.queryOne(
                        "SELECT 1 FROM kept_receipts WHERE short_id = ? AND tx_id = ?",
                        row -> row.getLong(1),
                        SpendRow.shortId(key),
                        key)
                .isPresent();
    }

    /** Of the first rows those that were settled before then. */
    static int forget(SqlSession session, long before, int most) throws SQLException {
        List<Settled> first = session.query(
                "SELECT id, settled_at FROM kept_receipts WHERE id > ? ORDER BY id LIMIT ?",
                row -> new Settled(row.getLong(1), row.getLong(2)),
                BEFORE_ALL,
                most);
        int forgotten = 0;
        for (Settled row : first) {
            if (row.settledAt() < before) {
                session.update("DELETE FROM kept_receipts WHERE id = ?", row.id());
                forgotten++;
            }
        }
        return forgotten;
    }
}
