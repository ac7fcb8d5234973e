package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * History of all spends, for reporting. Each spend has a permanent number, ascending in the order in which spends were opened. No spend with a lower
 * number appears later, so paging by number misses nothing and repeats nothing, despite payments, reorganisations and restarts in between.
 * Transactions that were only relayed ({@link RawSendStore}) are included; they are never confirmed here and never shortened.
 */
public interface SpendHistory {
    /**
     * Lists spends with a number greater than {@code number}, lowest first, from one snapshot.
     *
     * @param most upper limit of the listing
     */
    CompletionStage<List<PastSpend>> after(long number, int most);

    CompletionStage<Optional<PastSpend>> ofNumber(long number);

    /** Returns, by spend number, the addresses whose coins are spent by the parts of sweeps among these spends. */
    CompletionStage<Map<Long, Set<Address>>> payers(List<PastSpend> spends);

    CompletionStage<Optional<PastSpend>> ofTransaction(Hash256 txId);

    /** Finds the spend that a token is or was bound to; if there are several, the confirmed one, otherwise the newest. */
    CompletionStage<Optional<PastSpend>> ofToken(String token);

    /** Finds a transaction that a token was ever bound to, even if the token has expired or the spend has been erased. */
    CompletionStage<Optional<Hash256>> everBound(String token);

    /**
     * Changes the caller's memo of a spend, durably.
     *
     * @return whether the spend exists
     */
    CompletionStage<Boolean> setMemo(long number, Optional<String> memo);

    /**
     * Reduces spends whose tokens have expired and that have not changed since {@code before} (milliseconds since 1970) to their numbers, token
     * digests, transaction ids and amounts, oldest first.
     *
     * @param most upper limit of spends in this commit
     * @param amounts derives the amounts to keep from the full record; runs on the store's writer
     * @return number of spends in this commit
     */
    CompletionStage<Integer> shorten(long before, int most, Function<PastSpend, Amounts> amounts);

    /**
     * Removes spends that have not changed since {@code before} (milliseconds since 1970), at most {@code most} in this commit. The transactions
     * that their tokens were bound to remain known.
     *
     * @return number of spends in this commit
     */
    CompletionStage<Integer> erase(long before, int most);

    /**
     * Record of a spend in the history.
     *
     * @param number of the spend, permanent
     * @param from address that it spends from; empty when only the answer's change output names it, or when it is unknown
     * @param clientToken the token as its caller wrote it
     * @param createdAt milliseconds since 1970; empty when an older release did not record it
     * @param changedAt time of the last change of its state, milliseconds since 1970
     * @param blockHeight empty while it is in no block, or when the height was not recorded
     * @param told the content of the spend, as far as it is still kept
     */
    record PastSpend(
            long number,
            Hash256 txId,
            String kind,
            IntentState state,
            Optional<Address> from,
            Optional<String> clientToken,
            OptionalLong createdAt,
            long changedAt,
            OptionalLong blockHeight,
            Intent.Details details,
            Told told) {}

    /** Content of a spend as far as it is still kept. */
    sealed interface Told {
        /** The complete spend; its transaction bytes may be sealed. */
        record Whole(Intent intent) implements Told {}

        /**
         * The answer to the spend's token.
         *
         * @param answer in the format of the caller of {@link ReceiptStore#keep} or {@link IntentStore#forget}
         */
        record Answer(Bytes answer) implements Told {}

        /** Only the amounts. */
        record Sums(Amounts amounts) implements Told {}
    }

    /**
     * Amounts of a spend, if known.
     *
     * @param amount paid to the recipients, without change and fee
     */
    record Amounts(Optional<Amount> amount, Optional<Amount> fee) {}
}
