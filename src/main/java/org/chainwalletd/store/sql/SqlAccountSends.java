package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.ReceiptStore;

/** Stores the journal of the account chain in SQL, see {@link AccountSendTable}. */
final class SqlAccountSends implements AccountSendStore {
    private static final String IN_A_BLOCK = "state IN ('MINED', 'FINAL', 'REVERTED', 'CANCELLED')";

    /** Condition of nonces lost to foreign transactions; a nonce used by a copy of our own transaction is not lost. */
    private static final String LOST_TO_OTHERS =
            " AND state = 'LOST' AND NOT EXISTS (SELECT 1 FROM account_sends AS copy"
                    + " WHERE copy." + AccountSendTable.COPIES + " AND copy.chain_id = given.chain_id"
                    + " AND copy.sender = given.sender AND copy.nonce = given.nonce AND copy." + IN_A_BLOCK + ")";

    private final SqlStore store;
    private final SentLog.Lines log;

    SqlAccountSends(SqlStore store, SentLog.Lines log) {
        this.store = store;
        this.log = log;
    }

    /** Checks for all collisions before anything is written. */
    @Override
    public CompletionStage<Journalled> open(List<AccountSend> sends) {
        return store.writeNew(session -> {
            store.requireKeeper();
            for (AccountSend send : sends) {
                Optional<AccountSend> taken = AccountSendTable.taken(session, send);
                if (taken.isPresent()) {
                    return new Journalled.Taken(taken.get());
                }
                if (!send.isCopy() && isBoundElsewhere(session, send.reference())) {
                    return new Journalled.BoundElsewhere(send.reference());
                }
            }
            List<AccountSend> numbered = new ArrayList<>();
            for (AccountSend send : sends) {
                numbered.add(AccountSendTable.insert(session, send));
                log.add(new SentLine.Account(send));
            }
            return new Journalled.Done(List.copyOf(numbered));
        });
    }

    @Override
    public CompletionStage<Boolean> addVersion(long id, int versionsBefore, AccountSend.Version version) {
        return store.write(session -> {
            store.requireKeeper();
            Optional<AccountSend> send = AccountSendTable.one(session, "id = ?", id);
            if (send.isEmpty()
                    || send.get().state().isOver()
                    || send.get().versions().size() != versionsBefore) {
                return false;
            }
            AccountSendTable.insert(session, id, versionsBefore, version);
            session.update("UPDATE account_sends SET changed_at = ? WHERE id = ?", version.createdAt(), id);
            log.add(new SentLine.AccountVersion(send.get().reference(), versionsBefore, version));
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
        return store.write(session -> {
            store.requireKeeper();
            boolean entered = AccountSendTable.enter(session, "id = ? AND state = ?", state, outcome, now, id, before);
            if (entered) {
                log.add(new SentLine.AccountState(AccountSendTable.referenceOf(session, id), state, outcome, now));
            }
            return entered;
        });
    }

    @Override
    public CompletionStage<Optional<AccountSend>> find(String reference) {
        return store.read(session -> AccountSendTable.one(session, "reference = ?", reference));
    }

    @Override
    public CompletionStage<Boolean> isBoundElsewhere(String reference) {
        return store.read(session -> isBoundElsewhere(session, reference));
    }

    /** Returns whether the client_token of a reference is bound to something other than an account send. */
    static boolean isBoundElsewhere(SqlSession session, String reference) throws SQLException {
        if (!reference.startsWith(TOKEN)) {
            return false;
        }
        String token = reference.substring(TOKEN.length());
        return PayoutTable.has(session::find, token)
                || SqlSweeps.has(session::find, token)
                || SqlSweeps.everBound(session::find, token).isPresent();
    }

    /** Returns whether a transaction of the account chain has this client_token. */
    static boolean has(SqlSession.Finder finder, String token) throws SQLException {
        return finder.find(ofToken(token)).isPresent();
    }

    /** Finds the transaction of the account chain that has this client_token. */
    static Optional<ReceiptStore.Bound.ToAccountSend> bound(SqlSession session, String token) throws SQLException {
        return session.queryOne(
                "SELECT owner FROM account_sends WHERE reference = ?",
                row -> new ReceiptStore.Bound.ToAccountSend(
                        Optional.ofNullable(row.getString(1)).map(AccountSendStore::accessTokenOf)),
                AccountSendStore.reference(token));
    }

    static SqlSession.Lookup<Boolean> ofToken(String token) {
        return new SqlSession.Lookup<>(
                token,
                "SELECT 1 FROM account_sends WHERE reference = ?",
                row -> true,
                AccountSendStore.reference(token));
    }

    @Override
    public CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner) {
        return store.read(
                session -> AccountSendTable.all(session, "owner = ? AND chain_id = ? ORDER BY id", owner, chainId));
    }

    @Override
    public CompletionStage<List<AccountSend>> open(BigInteger chainId) {
        return store.read(session ->
                AccountSendTable.all(session, AccountSendTable.OPEN + " AND chain_id = ? ORDER BY id", chainId));
    }

    @Override
    public CompletionStage<Void> makeCertain() {
        return store.write(session -> {
            session.dialect().touch(session);
            return null;
        });
    }

    @Override
    public CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from) {
        return store.read(session -> {
            OptionalLong last = lastNonce(session, "", chainId, from);
            if (last.isEmpty()) {
                return last;
            }
            long next = last.getAsLong() + 1;
            while (isSpentByCopy(session, chainId, from, next)) {
                next++;
            }
            return OptionalLong.of(next);
        });
    }

    private static boolean isSpentByCopy(SqlSession session, BigInteger chainId, Bytes from, long nonce)
            throws SQLException {
        return session.has(
                "SELECT 1 FROM account_sends WHERE " + AccountSendTable.COPIES
                        + " AND chain_id = ? AND sender = ? AND nonce = ? AND " + IN_A_BLOCK + " LIMIT 1",
                chainId,
                from,
                nonce);
    }

    @Override
    public CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from) {
        return store.read(session -> lastNonce(session, LOST_TO_OTHERS, chainId, from));
    }

    private static OptionalLong lastNonce(SqlSession session, String condition, BigInteger chainId, Bytes from)
            throws SQLException {
        return session.ifNumber(
                "SELECT nonce FROM account_sends AS given WHERE " + AccountSendTable.GIVEN
                        + " AND chain_id = ? AND sender = ?" + condition + " ORDER BY nonce DESC LIMIT 1",
                chainId,
                from);
    }

    @Override
    public CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most) {
        return store.read(session -> AccountSendTable.all(
                session, "chain_id = ? AND id < ? ORDER BY id DESC LIMIT ?", chainId, before, most));
    }

    @Override
    public CompletionStage<List<AccountSend>> unsealed(int most) {
        return store.read(
                session -> AccountSendTable.all(session, AccountSendTable.UNSEALED + " ORDER BY id LIMIT ?", most));
    }

    @Override
    public CompletionStage<Void> seal(AccountSend sealed) {
        return store.write(session -> {
            // Overwrites the plaintext bytes in the file instead of only releasing their pages.
            session.dialect().overwrite(session, true);
            session.update(
                    "UPDATE account_sends SET data = ?, sealed = 1 WHERE id = ?",
                    sealed.call().data(),
                    sealed.id());
            for (AccountSend.Version version : sealed.versions()) {
                session.update(
                        "UPDATE account_versions SET raw = ? WHERE send = ? AND hash = ?",
                        version.raw(),
                        sealed.id(),
                        version.hash());
            }
            session.dialect().overwrite(session, false);
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<Bytes>> newestSealed() {
        return store.read(session -> session.queryOne(
                "SELECT data FROM account_sends WHERE id = (SELECT max(id) FROM account_sends) AND sealed = 1",
                row -> Bytes.wrap(row.getBytes(1))));
    }
}
