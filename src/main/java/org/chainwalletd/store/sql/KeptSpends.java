package org.chainwalletd.store.sql;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.RawSendStore.RawSend;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.SpendHistory.Amounts;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.SpendHistory.Told;
import org.chainwalletd.store.files.CrashPoint;

/**
 * The table {@code kept_spends}: closed spends kept only for reporting, one row each, under the number that the spend had. The row of a buried
 * payment first answers its token, until the token expires; after that it is only part of the history, finally in a short form. The most frequent
 * kind and state are stored as null, and so is the sender's address if it can be read from the answer's change output. The table
 * {@code erased_spends} keeps the transactions that the tokens of erased rows were bound to. Transactions that were signed elsewhere have a row here
 * from the beginning.
 */
final class KeptSpends {
    /** Form of a row reduced to the token's digest, the transaction id and the amounts. */
    private static final int SHORT = 1;
    /** Form of a complete row whose token has expired. */
    private static final int WHOLE = 2;
    /** Form of a row that answers its token. */
    private static final int ANSWERING = 3;
    /** Form of a transaction that was signed elsewhere: not a spend of this daemon, and never shortened, see {@link RawSendTable}. */
    private static final int RAW = 4;

    private static final String OF_SPEND = " AND form <> " + RAW;

    static final String NOT_SHORT = "form >= 2";

    private static final String USUAL_KIND = "transfer";
    private static final IntentState USUAL_STATE = IntentState.CONFIRMED;

    private static final List<String> COLUMNS = List.of(
            "id",
            "tx_id",
            "short_id",
            "form",
            "kind",
            "state",
            "token_key",
            "token_rest",
            "digest",
            "token",
            "from_address",
            "created_at",
            "settled_at",
            "block_height",
            "answer",
            "amount",
            "fee",
            "token_name",
            "memo");
    private static final String ALL = String.join(", ", COLUMNS);
    static final String INSERT_ERASED =
            "INSERT INTO erased_spends (id, tx_id, token_key, token_rest) VALUES (?, ?, ?, ?)";
    private static final String OF_TOKEN = "token_key = ? AND (token = ? OR token IS NULL AND token_rest = ?)";

    private KeptSpends() {}

    /** The first 16 bytes of the SHA-256 of a token, as two big-endian numbers. */
    private record TokenHash(long key, long rest) {
        static TokenHash of(String token) {
            ByteBuffer digest = ByteBuffer.wrap(
                    Hash256.sha256(token.getBytes(StandardCharsets.UTF_8)).toArray());
            return new TokenHash(digest.getLong(), digest.getLong());
        }
    }

    /** Returns the index of a column in a row of the log. */
    private static int at(String column) {
        return COLUMNS.indexOf(column);
    }

    /** Adds the answer of a settled spend: its token is answered from this row from now on. The caller removes the spend's own row. */
    static void keep(SqlSession session, SpendRow spend, Bytes answer) throws SQLException {
        move(session, spend, ANSWERING, Optional.of(answer));
    }

    /** Adds the history record of a spend whose token has expired. The caller removes the spend's own row. */
    static void retire(SqlSession session, SpendRow spend, Optional<Bytes> answer) throws SQLException {
        move(session, spend, WHOLE, answer);
    }

    private static void move(SqlSession session, SpendRow spend, int form, Optional<Bytes> answer) throws SQLException {
        Intent intent = spend.intent();
        boolean changeTellsPayer = answer.isPresent() && intent.changeIndex().isPresent();
        session.update(
                "INSERT INTO kept_spends (id, tx_id, short_id, form, kind, state, token_key, digest, token, from_address,"
                        + " created_at, settled_at, block_height, answer, fee, token_name, memo)"
                        + " SELECT id, tx_id, short_id, ?, nullif(kind, '" + USUAL_KIND + "'), nullif(state, '"
                        + USUAL_STATE + "'), ?, digest, token, ?, created_at, changed_at, block_height, ?,"
                        + " fee, token_name, memo FROM spends WHERE id = ?",
                form,
                intent.token().map(binding -> TokenHash.of(binding.token()).key()),
                changeTellsPayer ? null : intent.from(),
                answer,
                spend.id());
        CrashPoint.RECEIPTS_IN_COMMIT.reached();
    }

    /** Builds the row for a receipt that an older release wrote to {@code sent.log}. */
    static Object[] ofOlderRelease(
            byte[] txId, long tokenKey, long tokenRest, byte[] digest, long settledAt, byte[] answer) {
        Object[] row = new Object[COLUMNS.size()];
        row[at("tx_id")] = txId;
        row[at("short_id")] = SpendRow.shortId(Hash256.of(txId));
        row[at("form")] = (long) ANSWERING;
        row[at("token_key")] = tokenKey;
        row[at("token_rest")] = tokenRest;
        row[at("digest")] = digest;
        row[at("settled_at")] = settledAt;
        row[at("answer")] = answer;
        return row;
    }

    static boolean isRow(Object[] row) {
        return row.length == COLUMNS.size() && row[at("tx_id")] instanceof byte[];
    }

    static Hash256 txIdOf(Object[] row) {
        return Hash256.of((byte[]) row[at("tx_id")]);
    }

    /** Returns the number of a row from the log; 0 if an older release has written it. */
    static long numberOf(Object[] row) {
        return row[0] == null ? 0 : (Long) row[0];
    }

    static boolean isRaw(Object[] row) {
        return row[at("form")].equals((long) RAW);
    }

    static long changedAt(Object[] row) {
        return (Long) row[at("settled_at")];
    }

    static void insert(SqlSession session, long number, Object[] row) throws SQLException {
        Object[] values = row.clone();
        values[0] = number;
        session.update(SqlSession.insertion("kept_spends", ALL), values);
    }

    /** State of a transaction that was signed elsewhere. */
    record Raw(long number, IntentState state, long changedAt) {
        private static Raw read(Row row) throws SQLException {
            return new Raw(row.number("id"), IntentState.valueOf(row.text("state")), row.number("settled_at"));
        }
    }

    static Optional<Raw> raw(SqlSession session, Hash256 txId) throws SQLException {
        return session.queryOne(
                "SELECT id, state, settled_at FROM kept_spends WHERE short_id = ? AND tx_id = ? AND form = " + RAW,
                Raw::read,
                SpendRow.shortId(txId),
                txId);
    }

    static Optional<Raw> raw(SqlSession session, long number) throws SQLException {
        return session.queryOne(
                "SELECT id, state, settled_at FROM kept_spends WHERE id = ? AND form = " + RAW, Raw::read, number);
    }

    static void insertRaw(SqlSession session, long number, RawSend send, long createdAt, long at) throws SQLException {
        session.update(
                SqlSession.insertion(
                        "kept_spends",
                        "id, tx_id, short_id, form, kind, state, from_address, created_at, settled_at, answer, token_name"),
                number,
                send.txId(),
                SpendRow.shortId(send.txId()),
                RAW,
                RawSendStore.KIND,
                IntentState.PREPARED,
                send.from(),
                createdAt,
                at,
                send.told(),
                send.tokenName());
    }

    static void changeRaw(SqlSession session, long number, IntentState state, long at) throws SQLException {
        session.update("UPDATE kept_spends SET state = ?, settled_at = ? WHERE id = ?", state, at, number);
    }

    static Object[] row(SqlSession session, long number) throws SQLException {
        return session.queryOne("SELECT " + ALL + " FROM kept_spends WHERE id = ?", KeptSpends::read, number)
                .orElseThrow();
    }

    static void delete(SqlSession session, long number) throws SQLException {
        session.update("DELETE FROM kept_spends WHERE id = ?", number);
    }

    /** Visits all rows, ordered by number. */
    static void visit(SqlSession session, SqlSession.Visitor<Row> visitor) throws SQLException {
        session.visit("SELECT " + ALL + " FROM kept_spends WHERE id > ? ORDER BY id", visitor, 0);
    }

    /** Returns rows written by the daemons with this log, ordered by number. */
    static List<Object[]> ofLog(SqlSession session, String log, long after, int most) throws SQLException {
        return session.query(
                "SELECT " + ALL
                        + " FROM kept_spends WHERE id > ? AND runner IN (SELECT start FROM daemons WHERE log = ?)"
                        + " ORDER BY id LIMIT ?",
                KeptSpends::read,
                after,
                log,
                most);
    }

    /** Reads a row in the form used by the log: one value for each of {@link #COLUMNS}. */
    static Object[] read(Row row) throws SQLException {
        Object[] values = new Object[COLUMNS.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = row.value(i + 1);
        }
        return values;
    }

    /** Finds the newest receipt that the token is bound to, unless it was settled before {@code closedBefore} (milliseconds since 1970). */
    static Optional<Bound.ToReceipt> bound(SqlSession session, String token, long closedBefore) throws SQLException {
        return session.find(ofToken(token, closedBefore));
    }

    static SqlSession.Lookup<Bound.ToReceipt> ofToken(String token, long closedBefore) {
        TokenHash hash = TokenHash.of(token);
        return new SqlSession.Lookup<>(
                token,
                "SELECT tx_id, digest, answer, token_name FROM kept_spends WHERE " + OF_TOKEN + " AND form = "
                        + ANSWERING + " AND settled_at >= ? ORDER BY id DESC LIMIT 1",
                row -> new Bound.ToReceipt(
                        row.hash("tx_id"), row.hash("digest"), row.bytes("answer"), row.ifText("token_name")),
                hash.key(),
                token,
                hash.rest(),
                closedBefore);
    }

    /** Returns whether a kept spend with this transaction was confirmed, so that no other payment can be made by it. */
    static boolean has(SqlSession session, Hash256 txId) throws SQLException {
        return session.find(confirmed(txId)).isPresent();
    }

    static SqlSession.Lookup<Long> confirmed(Hash256 txId) {
        return isThere(txId, " AND state IS NULL");
    }

    /**
     * Returns whether a kept spend with this transaction lost its coins; such a spend is kept only once it is lost for good. A refused spend was
     * perhaps only never sent, and the same transaction may have been made again and confirmed.
     */
    static boolean isLost(SqlSession session, Hash256 txId) throws SQLException {
        return session.find(isThere(txId, " AND state IN ('CONFLICTED', 'ABANDONED')" + OF_SPEND))
                        .isPresent()
                && !has(session, txId);
    }

    /** Returns whether a kept spend with this transaction exists, whatever its outcome. */
    static boolean knows(SqlSession.Finder finder, Hash256 txId) throws SQLException {
        return finder.find(any(txId)).isPresent();
    }

    static SqlSession.Lookup<Long> any(Hash256 txId) {
        return isThere(txId, OF_SPEND);
    }

    private static SqlSession.Lookup<Long> isThere(Hash256 txId, String and) {
        return new SqlSession.Lookup<>(
                txId,
                "SELECT 1 FROM kept_spends WHERE short_id = ? AND tx_id = ?" + and,
                row -> row.getLong(1),
                SpendRow.shortId(txId),
                txId);
    }

    /** Returns whether a kept or erased spend has this number. */
    static boolean hasNumber(SqlSession session, long number) throws SQLException {
        return session.has(
                "SELECT 1 FROM kept_spends WHERE id = ? UNION ALL SELECT 1 FROM erased_spends WHERE id = ?",
                number,
                number);
    }

    /** Query for the keys of all tokens answered from this table. */
    static final String ANSWERED_KEYS =
            "SELECT token_key FROM kept_spends WHERE " + NOT_SHORT + " AND form = " + ANSWERING;

    /**
     * Makes up to {@code most} rows settled before {@code before} (milliseconds since 1970) stop answering their tokens, oldest first. Returns their
     * number.
     */
    static int expire(SqlSession session, long before, int most) throws SQLException {
        List<Long> expired = oldest(session, ANSWERING, before, most);
        for (long id : expired) {
            session.update("UPDATE kept_spends SET form = ? WHERE id = ?", WHOLE, id);
        }
        return expired.size();
    }

    private static List<Long> oldest(SqlSession session, int form, long before, int most) throws SQLException {
        return session.query(
                "SELECT id FROM kept_spends INDEXED BY kept_spends_whole WHERE " + NOT_SHORT
                        + " AND form = ? AND settled_at < ? ORDER BY settled_at LIMIT ?",
                row -> row.getLong(1),
                form,
                before,
                most);
    }

    /**
     * Reduces up to {@code most} rows settled before {@code before} (milliseconds since 1970) to their short form, oldest first. Returns their
     * number.
     */
    static int shorten(SqlSession session, long before, int most, Function<PastSpend, Amounts> amounts)
            throws SQLException {
        List<Long> whole = oldest(session, WHOLE, before, most);
        for (long id : whole) {
            shorten(session, id, amounts.apply(one(session, "id = ?", id).orElseThrow()));
        }
        return whole.size();
    }

    /** Deletes the row and inserts it in its short form: a row that shrinks in place would leave its page half empty permanently. */
    private static void shorten(SqlSession session, long id, Amounts sums) throws SQLException {
        Object[] row = row(session, id);
        Object token = row[at("token")];
        if (token != null) {
            row[at("token_rest")] = TokenHash.of((String) token).rest();
        }
        row[at("form")] = SHORT;
        row[at("amount")] = sums.amount().map(Amount::bits).orElse(null);
        row[at("fee")] = sums.fee().map(Amount::bits).orElse(null);
        for (String gone : List.of("token", "from_address", "block_height", "answer", "token_name", "memo")) {
            row[at(gone)] = null;
        }
        delete(session, id);
        insert(session, id, row);
    }

    /**
     * Removes those of the first {@code most} rows that were settled before {@code before} (milliseconds since 1970) and no longer answer their
     * tokens. Returns their number. The transactions that their tokens were bound to stay known.
     */
    static int erase(SqlSession session, long before, int most) throws SQLException {
        record First(long id, long settledAt, int form) {}
        List<First> first = session.query(
                "SELECT id, settled_at, form FROM kept_spends WHERE id > ? ORDER BY id LIMIT ?",
                row -> new First(row.number("id"), row.number("settled_at"), (int) row.number("form")),
                0,
                most);
        int erased = 0;
        for (First row : first) {
            if (row.settledAt() < before && row.form() != ANSWERING) {
                erase(session, row.id());
                erased++;
            }
        }
        return erased;
    }

    private static void erase(SqlSession session, long id) throws SQLException {
        Object[] row = row(session, id);
        Object token = row[at("token")];
        Object key = row[at("token_key")];
        if (key != null) {
            session.update(
                    INSERT_ERASED,
                    id,
                    row[at("tx_id")],
                    key,
                    token == null
                            ? row[at("token_rest")]
                            : TokenHash.of((String) token).rest());
        }
        neverReassign(session, id);
        delete(session, id);
    }

    /** Makes sure that no later spend gets this number. */
    static void neverReassign(SqlSession session, long id) throws SQLException {
        session.update("UPDATE identity SET spends_after = ? WHERE one = 1 AND spends_after < ?", id, id);
    }

    /** Records the transaction that the token of a refused spend was bound to. The caller removes the spend's row. */
    static void eraseReplaced(SqlSession session, SpendRow spend) throws SQLException {
        if (spend.intent().token().isPresent()) {
            TokenHash hash = TokenHash.of(spend.intent().token().get().token());
            session.update(
                    INSERT_ERASED
                            + " ON CONFLICT (id) DO UPDATE SET tx_id = excluded.tx_id, token_key = excluded.token_key,"
                            + " token_rest = excluded.token_rest",
                    spend.id(),
                    spend.intent().txId(),
                    hash.key(),
                    hash.rest());
        }
    }

    /**
     * Finds the newest transaction that the token was ever bound to, even if the token has expired or its spend is erased. Spends that are still in
     * the table {@code spends} are not searched.
     */
    static Optional<Hash256> everBound(SqlSession.Finder finder, String token) throws SQLException {
        Optional<Hash256> kept = finder.find(keptTransactionOf(token));
        return kept.isPresent() ? kept : finder.find(erasedTransactionOf(token));
    }

    static SqlSession.Lookup<Hash256> keptTransactionOf(String token) {
        TokenHash hash = TokenHash.of(token);
        return new SqlSession.Lookup<>(
                token,
                "SELECT tx_id FROM kept_spends WHERE " + OF_TOKEN + " ORDER BY id DESC LIMIT 1",
                row -> row.hash("tx_id"),
                hash.key(),
                token,
                hash.rest());
    }

    static SqlSession.Lookup<Hash256> erasedTransactionOf(String token) {
        TokenHash hash = TokenHash.of(token);
        return new SqlSession.Lookup<>(
                token,
                "SELECT tx_id FROM erased_spends WHERE token_key = ? AND token_rest = ? ORDER BY id DESC LIMIT 1",
                row -> row.hash("tx_id"),
                hash.key(),
                hash.rest());
    }

    /** Lists rows with a greater number, ordered by number. */
    static List<PastSpend> after(SqlSession session, long number, int most) throws SQLException {
        return session.query(
                "SELECT " + ALL + " FROM kept_spends WHERE id > ? ORDER BY id LIMIT ?", KeptSpends::past, number, most);
    }

    static Optional<PastSpend> ofNumber(SqlSession session, long number) throws SQLException {
        return one(session, "id = ?", number);
    }

    static Optional<PastSpend> ofTransaction(SqlSession session, Hash256 txId) throws SQLException {
        return one(session, "short_id = ? AND tx_id = ? ORDER BY id DESC LIMIT 1", SpendRow.shortId(txId), txId);
    }

    /** Finds the confirmed spend of the token, or its newest spend if none is confirmed. */
    static Optional<PastSpend> ofToken(SqlSession.Finder finder, String token) throws SQLException {
        return finder.find(pastOf(token));
    }

    static SqlSession.Lookup<PastSpend> pastOf(String token) {
        TokenHash hash = TokenHash.of(token);
        return new SqlSession.Lookup<>(
                token,
                "SELECT " + ALL + " FROM kept_spends WHERE " + OF_TOKEN
                        + " ORDER BY state IS NOT NULL, id DESC LIMIT 1",
                KeptSpends::past,
                hash.key(),
                token,
                hash.rest());
    }

    private static Optional<PastSpend> one(SqlSession session, String where, Object... values) throws SQLException {
        return session.queryOne("SELECT " + ALL + " FROM kept_spends WHERE " + where, KeptSpends::past, values);
    }

    private static PastSpend past(Row row) throws SQLException {
        byte[] from = row.raw("from_address");
        Optional<Bytes> answer = row.ifBytes("answer");
        Told told = answer.isPresent()
                ? new Told.Answer(answer.get())
                : new Told.Sums(new Amounts(row.ifAmount("amount"), row.ifAmount("fee")));
        return new PastSpend(
                row.number("id"),
                row.hash("tx_id"),
                row.ifText("kind").orElse(USUAL_KIND),
                row.ifText("state").map(IntentState::valueOf).orElse(USUAL_STATE),
                Optional.ofNullable(from).map(Address::of),
                row.ifText("token"),
                row.ifNumber("created_at"),
                row.number("settled_at"),
                row.ifNumber("block_height"),
                SpendRow.details(row),
                told);
    }

    static boolean setMemo(SqlSession session, long number, Optional<String> memo) throws SQLException {
        return session.update("UPDATE kept_spends SET memo = ? WHERE id = ?", memo, number) > 0;
    }

    /**
     * Moves up to {@code most} receipts of older releases into this table, in this commit; they keep their numbers, which are the lowest. Returns
     * their number.
     */
    static int moveOlder(SqlSession session, int most) throws SQLException {
        List<Long> first = session.query(
                "SELECT id FROM kept_receipts WHERE id > ? ORDER BY id LIMIT ?", row -> row.getLong(1), 0, most);
        if (first.isEmpty()) {
            return 0;
        }
        long last = first.get(first.size() - 1);
        session.update(
                "INSERT INTO kept_spends (id, tx_id, short_id, form, token_key, token_rest, digest, settled_at, answer)"
                        + " SELECT id, tx_id, short_id, " + ANSWERING
                        + ", token_key, token_rest, digest, settled_at, answer FROM kept_receipts WHERE id <= ?",
                last);
        session.update("DELETE FROM kept_receipts WHERE id <= ?", last);
        return first.size();
    }
}
