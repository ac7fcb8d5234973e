package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * Resolves idempotency tokens to the payments they are bound to. A token is bound in the commit of its intent, see {@link IntentStore#open}. When a
 * payment is buried, its answer can replace its spend in the store; the token then stays bound to the answer for as long as it would have stayed
 * bound to the spend.
 */
public interface ReceiptStore {
    /**
     * Finds the spend that {@code token} is bound to, unless only its answer is kept. A token whose spend is closed and has not changed since
     * {@code closedBefore} (milliseconds since 1970) has expired and is not found.
     */
    CompletionStage<Optional<Intent>> find(String token, long closedBefore);

    /**
     * Finds the object that the token is bound to, including a kept answer, a payout or a sweep. Expired tokens of spends are not found, as in
     * {@link #find}.
     */
    CompletionStage<Optional<Bound>> bound(String token, long closedBefore);

    /**
     * Lists buried payments with a token for which the answer is all that is still needed: those requested as {@code transfer}. Locks, claims and
     * swaps are excluded because their owners read the spends themselves again.
     *
     * @param before milliseconds since 1970; only spends that have not changed since then, oldest first
     * @param most upper limit of the listing
     */
    CompletionStage<List<Intent>> settled(long before, int most);

    /**
     * Replaces settled spends by their answers, in one commit. A spend that is no longer settled is left unchanged.
     *
     * @param answers by transaction, in the order in which they are to be forgotten later; the store does not interpret their format
     * @return number of spends replaced
     */
    CompletionStage<Integer> keep(Map<Hash256, Bytes> answers);

    /**
     * Unbinds the tokens of payments of which only the answer is kept and that have not changed since {@code before} (milliseconds since 1970). The
     * payments stay in the history ({@link SpendHistory}).
     *
     * @param most upper limit of tokens in this commit
     * @return number of tokens unbound; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forgetKept(long before, int most);

    /**
     * Lists the {@linkplain TokenBinding#fingerprint fingerprints} of all bound tokens and of some expired ones, in any order. A token whose
     * fingerprint is not listed was bound to no spend when the list was read, provided that the list is shorter than {@code most}.
     *
     * @param most upper limit of the listing
     */
    CompletionStage<List<Long>> fingerprints(int most);

    /** Returns whether payouts or sweeps exist: a token may then be bound to one of them, which {@link #fingerprints} leaves out. */
    boolean mayBeOtherThanSpends();

    /** Payment to which a token is bound. */
    sealed interface Bound {
        /** Returns the digest of the parameters with which the token was used; zeros when not kept here. */
        default Hash256 digest() {
            return Hash256.ZERO;
        }

        /** Returns the name of the access token that bound it; empty for an access token without a name, or when the name was not kept. */
        Optional<String> tokenName();

        /** Returns the transaction of this chain that makes the payment; empty when there is none or more than one. */
        default Optional<Hash256> transaction() {
            return Optional.empty();
        }

        /**
         * The token is bound to a spend, which has everything needed to send it again.
         *
         * @param lostForGood whether it was closed without success and no reorganisation is expected to let a block contain it
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
         * @param tokenName name of the access token that requested it, if kept
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
         * The token is the id of a payout of the queue, permanently.
         *
         * @param transaction the newest transaction that contained the payout
         */
        record ToPayout(Optional<String> tokenName, Optional<Hash256> transaction) implements Bound {}

        /** The token is permanently bound to a transaction of the account chain. */
        record ToAccountSend(Optional<String> tokenName) implements Bound {}

        /** The token is permanently bound to a sweep. */
        record ToSweep(Optional<String> tokenName) implements Bound {}
    }
}
