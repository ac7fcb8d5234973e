package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;

/**
 * The journal of transactions sent on the account chain. Rows are never removed: they are the history, and each keeps its nonce from being assigned
 * again. Call data and signed bytes are stored as passed; the caller seals them.
 */
public interface AccountSendStore {
    /** Result of writing new rows. */
    sealed interface Journalled {
        /** All rows are durable, with their ids, in the order of the argument. */
        record Done(List<AccountSend> sends) implements Journalled {}

        /** No row was written: {@code by} already has the reference of one of them, or its nonce (not checked for copies). */
        record Taken(AccountSend by) implements Journalled {}

        /** No row was written: the client_token of this reference is bound to a payout, a sweep or another payment. */
        record BoundElsewhere(String reference) implements Journalled {}
    }

    /** Prefix of the owner of transactions requested with a named access token; no swap id begins with it. */
    String ACCESS_TOKEN = "access/";

    /** Returns the name of the access token from an owner; returns any other owner unchanged. */
    static String accessTokenOf(String owner) {
        return owner.startsWith(ACCESS_TOKEN) ? owner.substring(ACCESS_TOKEN.length()) : owner;
    }

    /** Prefix of the reference of a transaction that a caller named by a client_token. */
    String TOKEN = "token/";
    /** Prefix of the reference of a payment without a client_token, which cannot be repeated. */
    String UNNAMED = "send/";

    /** Returns the reference of the transaction with this client_token; client_tokens and payout ids share one namespace. */
    static String reference(String clientToken) {
        return TOKEN + clientToken;
    }

    /** Writes all rows in one commit, or none of them. */
    CompletionStage<Journalled> open(List<AccountSend> sends);

    /**
     * Adds a version before it is sent. Returns false, and writes nothing, when the row has ended or has a number of versions other than {@code
     * versionsBefore}.
     */
    CompletionStage<Boolean> addVersion(long id, int versionsBefore, AccountSend.Version version);

    /** Changes the state from {@code before} to {@code state}. Returns false, and writes nothing, when the row is in another state. */
    CompletionStage<Boolean> enter(
            long id,
            AccountSend.State before,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now);

    CompletionStage<Optional<AccountSend>> find(String reference);

    /** Returns whether the client_token of this reference was ever bound to a payout, a sweep or another payment; no transaction may then use it. */
    CompletionStage<Boolean> isBoundElsewhere(String reference);

    /** Lists all transactions of one owner, oldest first. */
    CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner);

    /** Lists all transactions that have not ended, of every address, oldest first. */
    CompletionStage<List<AccountSend>> open(BigInteger chainId);

    /**
     * Makes a separate commit. Afterwards a row or version of an earlier call that failed with {@code UNKNOWN} is either readable or will never
     * appear.
     */
    CompletionStage<Void> makeCertain();

    /**
     * Returns the nonce after the highest one ever assigned to {@code from}, counting also copies with higher nonces that are in blocks; empty when
     * none was assigned.
     */
    CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from);

    /** Returns the highest nonce that was assigned to {@code from} but used by a foreign transaction; empty when there is none. */
    CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from);

    /**
     * Lists transactions, newest first.
     *
     * @param before id below which the listing starts, {@link Long#MAX_VALUE} for the newest
     * @param most upper limit of the listing
     */
    CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most);

    /** Lists the unsealed rows of older releases, of every chain, oldest first. */
    CompletionStage<List<AccountSend>> unsealed(int most);

    /** Atomically replaces the call data and signed bytes of an unsealed row by their sealed form. */
    CompletionStage<Void> seal(AccountSend sealed);

    /** Returns the sealed bytes of the newest row, so that the next row can share their salt; empty when that row is not sealed. */
    CompletionStage<Optional<Bytes>> newestSealed();
}
