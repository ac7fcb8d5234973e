package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;

/**
 * The journal of what was sent on the account chain. Rows are never removed: they are the history, and each keeps its nonce taken. Call data
 * and signed bytes are kept as they come: whoever writes them has sealed them before.
 */
public interface AccountSendStore {
    /** What became of new rows. */
    sealed interface Journalled {
        /** All are durable, with their ids, in the order in which they came. */
        record Done(List<AccountSend> sends) implements Journalled {}

        /** None was written: the reference of one of them, or its nonce unless it is a copy, has this row already. */
        record Taken(AccountSend by) implements Journalled {}
    }

    /** Writes rows together, or none of them. */
    CompletionStage<Journalled> open(List<AccountSend> sends);

    /**
     * Adds a version before it is sent. False, and nothing is written, when the row is over or has other versions by now than {@code
     * versionsBefore}.
     */
    CompletionStage<Boolean> addVersion(long id, int versionsBefore, AccountSend.Version version);

    /** Changes the state. False, and nothing is written, unless it is {@code before}. */
    CompletionStage<Boolean> enter(
            long id,
            AccountSend.State before,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now);

    CompletionStage<Optional<AccountSend>> find(String reference);

    /** All of one owner, oldest first. */
    CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner);

    /** All that are not over, of every address, oldest first. */
    CompletionStage<List<AccountSend>> open(BigInteger chainId);

    /**
     * The nonce after the highest that was ever given to {@code from}, and after copies from there on that are in blocks; empty when none was
     * given.
     */
    CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from);

    /** The highest nonce that was given to {@code from} and that somebody else has used; empty when none was. */
    CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from);

    /**
     * Newest first.
     *
     * @param before an id that all of them are below, {@link Long#MAX_VALUE} for the newest
     */
    CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most);

    /** Rows of a release that did not seal yet, of every chain, oldest first. */
    CompletionStage<List<AccountSend>> unsealed(int most);

    /** Puts what is sealed in the place of the call data and signed bytes of an unsealed row, all of it or nothing. */
    CompletionStage<Void> seal(AccountSend sealed);

    /** What is sealed of the newest row, whose salt the next one can share; empty when nothing is sealed there. */
    CompletionStage<Optional<Bytes>> newestSealed();
}
