package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * Resolves idempotency tokens to the payments they are bound to. A token is bound in the commit of its intent, see {@link IntentStore#open}. When
 * a payment is buried its answer can replace its spend in the store; the token then stays bound to the answer as long as it would have been to
 * the spend.
 */
public interface ReceiptStore {
    /**
     * Finds the spend that {@code token} is bound to, unless only its answer is kept. A token whose spend is closed and has not changed since
     * {@code closedBefore} (milliseconds since 1970) has expired and is not found.
     */
    CompletionStage<Optional<Intent>> find(String token, long closedBefore);

    /**
     * Finds whatever the token is bound to, also a kept answer, a payout or a sweep; expired tokens of spends are not found, as in {@link #find}.
     */
    CompletionStage<Optional<Bound>> bound(String token, long closedBefore);

    /**
     * Lists buried payments with a token of which only the answer is still needed: those that were asked for as {@code transfer}. The owners of
     * locks, claims and swaps read the spends themselves again.
     *
     * @param before milliseconds since 1970; only spends that did not change since then, the oldest first
     * @param most upper limit of the listing
     */
    CompletionStage<List<Intent>> settled(long before, int most);

    /**
     * Replaces settled spends by their answers, in one commit. A spend that is not settled any more is left alone.
     *
     * @param answers by transaction, in the order in which they are to be forgotten, and in a format that the store does not read
     * @return how many were replaced
     */
    CompletionStage<Integer> keep(Map<Hash256, Bytes> answers);

    /**
     * Unbinds the tokens of payments of which only the answer is kept and that did not change since {@code before} (milliseconds since 1970). The
     * payments stay in the history ({@link SpendHistory}).
     *
     * @param most upper limit of tokens in this commit
     * @return how many; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forgetKept(long before, int most);

    /**
     * Lists the {@linkplain TokenBinding#fingerprint fingerprints} of all tokens that are bound, and of some expired ones, in any order. For
     * callers that keep in memory which tokens are certainly new.
     *
     * @param most upper limit of the listing
     */
    CompletionStage<List<Long>> fingerprints(int most);

    /** Tells whether payouts or sweeps exist, so that a token may be one of theirs, which {@link #fingerprints} leaves out. */
    boolean mayBeOtherThanSpends();

    /** Payment that a token is bound to. */
    sealed interface Bound {
        /** Returns the digest of the parameters with which the token was used; zeros when none is kept here. */
        default Hash256 digest() {
            return Hash256.ZERO;
        }

        /** Returns the name of the access token that has bound it; empty for one without a name, or when it was not kept. */
        Optional<String> tokenName();

        /** Returns the transaction of this chain that makes the payment; empty when there is none, or many. */
        default Optional<Hash256> transaction() {
            return Optional.empty();
        }

        /**
         * The token is bound to a spend, with all that is needed to send it again.
         *
         * @param lostForGood whether it was closed without success, and no reorganisation is expected to let a block have it
         */
        record ToSpend(Intent spend, boolean lostForGood) implements Bound {
            @Override
            public Hash256 digest() {
                return spend.token().orElseThrow().digest();
            }

            @Override
            public Optional<String> tokenName() {
                return spend.details().tokenName();
            }

            @Override
            public Optional<Hash256> transaction() {
                return Optional.of(spend.txId());
            }
        }

        /**
         * The token is bound to a buried payment of which only the answer is kept.
         *
         * @param answer in the format of the caller of {@link ReceiptStore#keep}
         * @param tokenName name of the access token that asked for it, when it was kept
         */
        record ToReceipt(Hash256 txId, Hash256 digest, Bytes answer, Optional<String> tokenName) implements Bound {
            public ToReceipt(Hash256 txId, Hash256 digest, Bytes answer) {
                this(txId, digest, answer, Optional.empty());
            }

            @Override
            public Optional<Hash256> transaction() {
                return Optional.of(txId);
            }
        }

        /**
         * The token is the id of a payout of the queue; it stays bound to that for ever.
         *
         * @param transaction the newest one that the payout was part of
         */
        record ToPayout(Optional<String> tokenName, Optional<Hash256> transaction) implements Bound {}

        /** The token is that of a transaction of the account chain; it stays bound to that for ever. */
        record ToAccountSend(Optional<String> tokenName) implements Bound {}

        /** The token is that of a sweep; it stays bound to that for ever. */
        record ToSweep(Optional<String> tokenName) implements Bound {}
    }
}
