package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;

/**
 * The journal of transactions sent on the account chain. Rows are never removed: they are the history, and each keeps its nonce taken. Call data
 * and signed bytes are stored as given: the caller has sealed them before.
 */
public interface AccountSendStore {
    /** Result of writing new rows. */
    sealed interface Journalled {
        /** All rows are durable, with their ids, in the order in which they were given. */
        record Done(List<AccountSend> sends) implements Journalled {}

        /** No row was written: {@code by} already has the reference of one of them, or its nonce (which does not matter for copies). */
        record Taken(AccountSend by) implements Journalled {}

        /** No row was written: the client_token of this reference has bound a payout, a sweep or another payment of the chain. */
        record BoundElsewhere(String reference) implements Journalled {}
    }

    /** Begins the owner of what a named access token has asked for: no swap has such an id. */
    String ACCESS_TOKEN = "access/";

    /** Reads the name of the access token in an owner; another owner is returned as it is. */
    static String accessTokenOf(String owner) {
        return owner.startsWith(ACCESS_TOKEN) ? owner.substring(ACCESS_TOKEN.length()) : owner;
    }

    /** Begins the reference of a transaction that a caller has named with a client_token. */
    String TOKEN = "token/";
    /** Begins the reference of a payment without a client_token, which nobody can repeat. */
    String UNNAMED = "send/";

    /** Returns the reference of the transaction with this client_token, which shares one namespace with all other client_tokens and the ids of payouts. */
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

    /** Tells whether the client_token of this reference has ever bound a payout, a sweep or another payment of the chain: no transaction may have it. */
    CompletionStage<Boolean> isBoundElsewhere(String reference);

    /** Lists all transactions of one owner, oldest first. */
    CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner);

    /** Lists all transactions that have not ended, of every address, oldest first. */
    CompletionStage<List<AccountSend>> open(BigInteger chainId);

    /** Makes a commit of its own: a row or version of an earlier call that failed with {@code UNKNOWN} can be read from then on, or never appears. */
    CompletionStage<Void> makeCertain();

    /**
     * Returns the nonce after the highest that was ever given to {@code from}, also counting copies from there on that are in blocks; empty when
     * none was given.
     */
    CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from);

    /** Returns the highest nonce that was given to {@code from} and that a foreign transaction has used; empty when there is none. */
    CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from);

    /**
     * Lists transactions, newest first.
     *
     * @param before id below which the listing starts, {@link Long#MAX_VALUE} for the newest
     * @param most upper limit of the listing
     */
    CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most);

    /** Lists rows of a release that did not seal yet, of every chain, oldest first. */
    CompletionStage<List<AccountSend>> unsealed(int most);

    /** Replaces the call data and signed bytes of an unsealed row by their sealed form, all of it or nothing. */
    CompletionStage<Void> seal(AccountSend sealed);

    /** Returns the sealed bytes of the newest row, so that the next one can share their salt; empty when nothing is sealed there. */
    CompletionStage<Optional<Bytes>> newestSealed();
}
