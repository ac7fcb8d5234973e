package org.chainwalletd.store;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/** The journal of the account chain in SQLite: a row for each nonce that was given, and one for each version of its transaction. */
final class SqliteAccountSends implements AccountSendStore {
    static final String OPEN = "state IN ('JOURNALLED', 'SENT', 'MINED')";

    static final String UNSEALED = "sealed = 0";

    private static final String COLUMNS =
            "id, reference, digest, chain_id, kind, sender, recipient, value, data, nonce,"
                    + " gas_limit, fee_ceiling, pushing, owner, state, mined_hash, mined_number, mined_block, succeeded,"
                    + " created_at, changed_at, sealed";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM account_sends WHERE ";

    private final SqliteStore store;

    SqliteAccountSends(SqliteStore store) {
        this.store = store;
    }

    /** All that can collide is looked at before anything is written. */
    @Override
    public CompletionStage<Journalled> open(List<AccountSend> sends) {
        return store.writeNew(session -> {
            for (AccountSend send : sends) {
                Optional<AccountSend> taken = taken(session, send);
                if (taken.isPresent()) {
                    return new Journalled.Taken(taken.get());
                }
            }
            List<AccountSend> numbered = new ArrayList<>();
            for (AccountSend send : sends) {
                numbered.add(insert(session, send));
            }
            return new Journalled.Done(List.copyOf(numbered));
        });
    }

    private static Optional<AccountSend> taken(SqlSession session, AccountSend send) throws SQLException {
        Optional<AccountSend> same = one(session, "reference = ?", send.reference());
        return same.isPresent()
                ? same
                : one(
                        session,
                        "chain_id = ? AND sender = ? AND nonce = ?",
                        bytes(send.call().chainId()),
                        send.call().from().toArray(),
                        send.nonce());
    }

    private static AccountSend insert(SqlSession session, AccountSend send) throws SQLException {
        long id = 1
                + session.queryOne("SELECT coalesce(max(id), 0) FROM account_sends", row -> row.getLong(1))
                        .orElseThrow();
        session.update(
                "INSERT INTO account_sends (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                        + " ?, ?, ?, ?, 1)",
                id,
                send.reference(),
                send.order().digest().toArray(),
                bytes(send.call().chainId()),
                send.order().kind(),
                send.call().from().toArray(),
                send.call().to().toArray(),
                bytes(send.call().value()),
                send.call().data().toArray(),
                send.nonce(),
                send.call().gasLimit(),
                send.order().feeCeiling().map(SqliteAccountSends::bytes).orElse(null),
                send.order().pushing(),
                send.order().owner().orElse(null),
                send.state().name(),
                send.progress()
                        .outcome()
                        .map(outcome -> outcome.hash().toArray())
                        .orElse(null),
                send.progress().outcome().map(AccountSend.Outcome::blockNumber).orElse(null),
                send.progress()
                        .outcome()
                        .map(outcome -> outcome.blockHash().toArray())
                        .orElse(null),
                send.progress()
                        .outcome()
                        .map(outcome -> outcome.succeeded() ? 1 : 0)
                        .orElse(null),
                send.progress().createdAt(),
                send.progress().changedAt());
        for (int i = 0; i < send.versions().size(); i++) {
            insert(session, id, i, send.versions().get(i));
        }
        return send.numbered(id);
    }

    private static void insert(SqlSession session, long id, int number, AccountSend.Version version)
            throws SQLException {
        session.update(
                "INSERT INTO account_versions (send, number, hash, raw, tip, max_fee, cancels, created_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                id,
                number,
                version.hash().toArray(),
                version.raw().toArray(),
                bytes(version.tip()),
                bytes(version.maxFee()),
                version.cancels() ? 1 : 0,
                version.createdAt());
    }

    @Override
    public CompletionStage<Boolean> addVersion(long id, int versionsBefore, AccountSend.Version version) {
        return store.write(session -> {
            Optional<AccountSend> send = one(session, "id = ?", id);
            if (send.isEmpty()
                    || send.get().state().isOver()
                    || send.get().versions().size() != versionsBefore) {
                return false;
            }
            insert(session, id, versionsBefore, version);
            session.update("UPDATE account_sends SET changed_at = ? WHERE id = ?", version.createdAt(), id);
            return true;
        });
    }

    @Override
    public CompletionStage<Boolean> enter(
            long id,
            AccountSend.State before,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now) {
        return store.write(session -> session.update(
                        "UPDATE account_sends SET state = ?, mined_hash = ?, mined_number = ?, mined_block = ?,"
                                + " succeeded = ?, changed_at = ? WHERE id = ? AND state = ?",
                        state.name(),
                        outcome.map(mined -> mined.hash().toArray()).orElse(null),
                        outcome.map(AccountSend.Outcome::blockNumber).orElse(null),
                        outcome.map(mined -> mined.blockHash().toArray()).orElse(null),
                        outcome.map(mined -> mined.succeeded() ? 1 : 0).orElse(null),
                        now,
                        id,
                        before.name())
                == 1);
    }

    @Override
    public CompletionStage<Optional<AccountSend>> find(String reference) {
        return store.read(session -> one(session, "reference = ?", reference));
    }

    @Override
    public CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner) {
        return store.read(session -> all(session, "owner = ? AND chain_id = ? ORDER BY id", owner, bytes(chainId)));
    }

    @Override
    public CompletionStage<List<AccountSend>> open(BigInteger chainId) {
        return store.read(session -> all(session, OPEN + " AND chain_id = ? ORDER BY id", (Object) bytes(chainId)));
    }

    @Override
    public CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from) {
        return store.read(session -> {
            OptionalLong last = lastNonce(session, "", chainId, from);
            return last.isPresent() ? OptionalLong.of(last.getAsLong() + 1) : OptionalLong.empty();
        });
    }

    @Override
    public CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from) {
        return store.read(session -> lastNonce(session, " AND state = 'LOST'", chainId, from));
    }

    private static OptionalLong lastNonce(SqlSession session, String condition, BigInteger chainId, Bytes from)
            throws SQLException {
        Optional<Long> last = session.queryOne(
                "SELECT nonce FROM account_sends WHERE chain_id = ? AND sender = ?" + condition
                        + " ORDER BY nonce DESC LIMIT 1",
                row -> row.getLong(1),
                bytes(chainId),
                from.toArray());
        return last.isPresent() ? OptionalLong.of(last.get()) : OptionalLong.empty();
    }

    @Override
    public CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most) {
        return store.read(session ->
                all(session, "chain_id = ? AND id < ? ORDER BY id DESC LIMIT ?", bytes(chainId), before, most));
    }

    @Override
    public CompletionStage<List<AccountSend>> unsealed(int most) {
        return store.read(session -> all(session, UNSEALED + " ORDER BY id LIMIT ?", most));
    }

    @Override
    public CompletionStage<Void> seal(AccountSend sealed) {
        return store.write(session -> {
            // What stood there in clear is overwritten, not only let go of.
            session.execute("PRAGMA secure_delete = ON");
            session.update(
                    "UPDATE account_sends SET data = ?, sealed = 1 WHERE id = ?",
                    sealed.call().data().toArray(),
                    sealed.id());
            for (AccountSend.Version version : sealed.versions()) {
                session.update(
                        "UPDATE account_versions SET raw = ? WHERE send = ? AND hash = ?",
                        version.raw().toArray(),
                        sealed.id(),
                        version.hash().toArray());
            }
            session.execute("PRAGMA secure_delete = OFF");
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<Bytes>> newestSealed() {
        return store.read(session -> session.queryOne(
                "SELECT data FROM account_sends WHERE id = (SELECT max(id) FROM account_sends) AND sealed = 1",
                row -> Bytes.wrap(row.getBytes(1))));
    }

    private static Optional<AccountSend> one(SqlSession session, String where, Object... values) throws SQLException {
        List<AccountSend> found = all(session, where, values);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(0));
    }

    private static List<AccountSend> all(SqlSession session, String where, Object... values) throws SQLException {
        List<Long> ids = new ArrayList<>();
        List<AccountSend> sends = new ArrayList<>();
        for (long id : session.query("SELECT id FROM account_sends WHERE " + where, row -> row.getLong(1), values)) {
            ids.add(id);
        }
        for (long id : ids) {
            List<AccountSend.Version> versions = session.query(
                    "SELECT hash, raw, tip, max_fee, cancels, created_at FROM account_versions WHERE send = ?"
                            + " ORDER BY number",
                    SqliteAccountSends::version,
                    id);
            sends.add(session.queryOne(SELECT + "id = ?", row -> read(row, versions), id)
                    .orElseThrow());
        }
        return List.copyOf(sends);
    }

    private static AccountSend.Version version(ResultSet row) throws SQLException {
        return new AccountSend.Version(
                Hash256.of(row.getBytes(1)),
                Bytes.wrap(row.getBytes(2)),
                number(row.getBytes(3)),
                number(row.getBytes(4)),
                row.getInt(5) == 1,
                row.getLong(6));
    }

    private static AccountSend read(ResultSet row, List<AccountSend.Version> versions) throws SQLException {
        byte[] ceiling = row.getBytes("fee_ceiling");
        byte[] mined = row.getBytes("mined_hash");
        return new AccountSend(
                row.getLong("id"),
                new AccountSend.Order(
                        row.getString("reference"),
                        Hash256.of(row.getBytes("digest")),
                        row.getString("kind"),
                        Optional.ofNullable(ceiling).map(SqliteAccountSends::number),
                        row.getString("pushing"),
                        Optional.ofNullable(row.getString("owner"))),
                new AccountSend.Call(
                        number(row.getBytes("chain_id")),
                        Bytes.wrap(row.getBytes("sender")),
                        Bytes.wrap(row.getBytes("recipient")),
                        number(row.getBytes("value")),
                        Bytes.wrap(row.getBytes("data")),
                        row.getLong("nonce"),
                        row.getLong("gas_limit")),
                versions,
                new AccountSend.Progress(
                        AccountSend.State.valueOf(row.getString("state")),
                        mined == null
                                ? Optional.empty()
                                : Optional.of(new AccountSend.Outcome(
                                        Hash256.of(mined),
                                        row.getLong("mined_number"),
                                        Hash256.of(row.getBytes("mined_block")),
                                        row.getInt("succeeded") == 1)),
                        row.getLong("created_at"),
                        row.getLong("changed_at")));
    }

    /** Big-endian without a sign; one byte for zero. */
    private static byte[] bytes(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return bytes.length > 1 && bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    private static BigInteger number(byte[] bytes) {
        return new BigInteger(1, bytes);
    }
}
