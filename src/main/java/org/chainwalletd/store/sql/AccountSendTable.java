package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.AccountSend;

/** The tables {@code account_sends}, a row per assigned nonce or copy, and {@code account_versions}, a row per version of its transaction. */
final class AccountSendTable {
    static final String OPEN = "state IN ('JOURNALLED', 'SENT', 'MINED')";

    static final String UNSEALED = "sealed = 0";

    /** Condition of rows whose nonce was assigned by the journal, which assigns each nonce once. */
    static final String GIVEN = "pushing <> 'COPY'";

    static final String COPIES = "pushing = 'COPY'";

    private static final String COLUMNS =
            "id, reference, digest, chain_id, kind, sender, recipient, value, data, nonce,"
                    + " gas_limit, fee_ceiling, pushing, owner, state, mined_hash, mined_number, mined_block, succeeded,"
                    + " created_at, changed_at, sealed";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM account_sends WHERE ";

    private AccountSendTable() {}

    static Optional<AccountSend> taken(SqlSession session, AccountSend send) throws SQLException {
        Optional<AccountSend> same = one(session, "reference = ?", send.reference());
        return same.isPresent() || send.isCopy()
                ? same
                : one(
                        session,
                        GIVEN + " AND chain_id = ? AND sender = ? AND nonce = ?",
                        send.call().chainId(),
                        send.call().from(),
                        send.nonce());
    }

    /** Returns whether the journal has a later nonce of the same sender, which it assigns only after this one. */
    static boolean hasLater(SqlSession session, AccountSend send) throws SQLException {
        return session.has(
                "SELECT 1 FROM account_sends WHERE " + GIVEN + " AND chain_id = ? AND sender = ? AND nonce > ? LIMIT 1",
                send.call().chainId(),
                send.call().from(),
                send.nonce());
    }

    static AccountSend insert(SqlSession session, AccountSend send) throws SQLException {
        long id = 1 + session.number("SELECT coalesce(max(id), 0) FROM account_sends");
        Optional<AccountSend.Outcome> outcome = send.progress().outcome();
        session.update(
                SqlSession.insertion("account_sends", COLUMNS),
                id,
                send.reference(),
                send.order().digest(),
                send.call().chainId(),
                send.order().kind(),
                send.call().from(),
                send.call().to(),
                send.call().value(),
                send.call().data(),
                send.nonce(),
                send.call().gasLimit(),
                send.order().feeCeiling(),
                send.order().pushing(),
                send.order().owner(),
                send.state(),
                outcome.map(AccountSend.Outcome::hash),
                outcome.map(AccountSend.Outcome::blockNumber),
                outcome.map(AccountSend.Outcome::blockHash),
                outcome.map(mined -> mined.succeeded() ? 1 : 0),
                send.progress().createdAt(),
                send.progress().changedAt(),
                1);
        for (int i = 0; i < send.versions().size(); i++) {
            insert(session, id, i, send.versions().get(i));
        }
        return send.numbered(id);
    }

    static void insert(SqlSession session, long id, int number, AccountSend.Version version) throws SQLException {
        session.update(
                SqlSession.insertion("account_versions", "send, number, hash, raw, tip, max_fee, cancels, created_at"),
                id,
                number,
                version.hash(),
                version.raw(),
                version.tip(),
                version.maxFee(),
                version.cancels() ? 1 : 0,
                version.createdAt());
    }

    static String referenceOf(SqlSession session, long id) throws SQLException {
        return session.queryOne("SELECT reference FROM account_sends WHERE id = ?", row -> row.getString(1), id)
                .orElseThrow();
    }

    static boolean enter(
            SqlSession session,
            String where,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now,
            Object... which)
            throws SQLException {
        List<Object> values = new ArrayList<>(List.of(
                state,
                outcome.map(AccountSend.Outcome::hash),
                outcome.map(AccountSend.Outcome::blockNumber),
                outcome.map(AccountSend.Outcome::blockHash),
                outcome.map(mined -> mined.succeeded() ? 1 : 0),
                now));
        values.addAll(List.of(which));
        return session.update(
                        "UPDATE account_sends SET state = ?, mined_hash = ?, mined_number = ?, mined_block = ?,"
                                + " succeeded = ?, changed_at = ? WHERE " + where,
                        values.toArray())
                == 1;
    }

    static Optional<AccountSend> one(SqlSession session, String where, Object... values) throws SQLException {
        return all(session, where, values).stream().findFirst();
    }

    static List<AccountSend> all(SqlSession session, String where, Object... values) throws SQLException {
        List<Long> ids = session.query("SELECT id FROM account_sends WHERE " + where, row -> row.getLong(1), values);
        List<AccountSend> sends = new ArrayList<>();
        for (long id : ids) {
            List<AccountSend.Version> versions = session.query(
                    "SELECT hash, raw, tip, max_fee, cancels, created_at FROM account_versions WHERE send = ?"
                            + " ORDER BY number",
                    AccountSendTable::version,
                    id);
            sends.add(session.queryOne(SELECT + "id = ?", row -> read(row, versions), id)
                    .orElseThrow());
        }
        return List.copyOf(sends);
    }

    private static AccountSend.Version version(Row row) throws SQLException {
        return new AccountSend.Version(
                row.hash("hash"),
                row.bytes("raw"),
                row.large("tip"),
                row.large("max_fee"),
                row.flag("cancels"),
                row.number("created_at"));
    }

    private static AccountSend read(Row row, List<AccountSend.Version> versions) throws SQLException {
        return new AccountSend(
                row.number("id"),
                new AccountSend.Order(
                        row.text("reference"),
                        row.hash("digest"),
                        row.text("kind"),
                        row.ifBytes("fee_ceiling").map(ceiling -> new BigInteger(1, ceiling.toArray())),
                        row.text("pushing"),
                        row.ifText("owner")),
                new AccountSend.Call(
                        row.large("chain_id"),
                        row.bytes("sender"),
                        row.bytes("recipient"),
                        row.large("value"),
                        row.bytes("data"),
                        row.number("nonce"),
                        row.number("gas_limit")),
                versions,
                new AccountSend.Progress(
                        AccountSend.State.valueOf(row.text("state")),
                        row.ifBytes("mined_hash").isEmpty()
                                ? Optional.empty()
                                : Optional.of(new AccountSend.Outcome(
                                        row.hash("mined_hash"),
                                        row.number("mined_number"),
                                        row.hash("mined_block"),
                                        row.flag("succeeded"))),
                        row.number("created_at"),
                        row.number("changed_at")));
    }
}
