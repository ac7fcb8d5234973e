package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * What idempotency tokens stand for. They are bound together with their intent, see {@link IntentStore#open}; when a payment is buried its
 * answer can take the place of its spend, and the token stays bound to that as long as it would have been to the spend.
 */
public interface ReceiptStore {
    /**
     * The spend that {@code token} stands for, unless only its answer is kept. A token whose spend is closed and has not changed since {@code
     * closedBefore} has expired and is not found.
     */
    CompletionStage<Optional<Intent>> find(String token, long closedBefore);

    /** As {@link #find}, and the answer when no more than that is left. */
    CompletionStage<Optional<Bound>> bound(String token, long closedBefore);

    /**
     * Payments with a token that are buried, and need no more than to be answered: those that were asked for as {@code transfer}. Whoever locks,
     * claims or swaps reads its own spends again.
     *
     * @param before those that did not change since then, the oldest first
     * @param most no more than so many
     */
    CompletionStage<List<Intent>> settled(long before, int most);

    /**
     * Puts answers in the place of settled spends, in one commit. What is not settled any more is left alone.
     *
     * @param answers by transaction, in the order in which they are to be forgotten, and in a form that the store does not read
     * @return how many were replaced
     */
    CompletionStage<Integer> keep(Map<Hash256, Bytes> answers);

    /**
     * Ends the tokens of payments of which only the answer is left and that did not change since {@code before}; they are told all the same
     * ({@link SpendHistory}).
     *
     * @param most so many in this commit
     * @return how many; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forgetKept(long before, int most);

    /**
     * The {@linkplain TokenBinding#fingerprint fingerprints} of all tokens that are bound, some expired ones too, in any order; for who keeps in memory
     * which tokens are not new.
     *
     * @param most no more than so many
     */
    CompletionStage<List<Long>> fingerprints(int most);

    /** Whether a token may be that of a payout or a sweep, which {@link #fingerprints} leaves out: there are some. */
    boolean mayBeOtherThanSpends();

    /** What a token is bound to. */
    sealed interface Bound {
        /** Of the parameters that the token stands for. */
        Hash256 digest();

        /**
         * A spend with all that is needed to repeat it.
         *
         * @param lostForGood whether it was closed without success, and no reorganisation is expected to let a block have it
         */
        record ToSpend(Intent spend, boolean lostForGood) implements Bound {
            @Override
            public Hash256 digest() {
                return spend.token().orElseThrow().digest();
            }
        }

        /**
         * A payment that is buried, of which no more is left than what its token answers.
         *
         * @param answer in the form of whoever had it kept ({@link ReceiptStore#keep})
         */
        record ToReceipt(Hash256 txId, Hash256 digest, Bytes answer) implements Bound {}

        /** A payout of the queue, whose id it is for ever: it pays nothing else. */
        record ToPayout() implements Bound {
            /** Of no parameters. */
            @Override
            public Hash256 digest() {
                return Hash256.ZERO;
            }
        }

        /** A sweep, whose token it is for ever: it pays nothing else. */
        record ToSweep() implements Bound {
            /** Of no parameters. */
            @Override
            public Hash256 digest() {
                return Hash256.ZERO;
            }
        }
    }
}
