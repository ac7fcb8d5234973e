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
 * History of all spends, for reporting. Each spend has a number for life, ascending in the order in which they were opened. No spend with a lower
 * number appears later, so pages by number miss nothing and repeat nothing, whatever is paid, reorganised or restarted meanwhile. Transactions that
 * were only passed on ({@link RawSendStore}) are among them; these are never confirmed here and never shortened.
 */
public interface SpendHistory {
    /**
     * Lists spends with a number greater than {@code number}, the lowest first, all as of one moment.
     *
     * @param most upper limit of the listing
     */
    CompletionStage<List<PastSpend>> after(long number, int most);

    CompletionStage<Optional<PastSpend>> ofNumber(long number);

    /** Lists the addresses whose coins the parts of sweeps among these spends spend, by the number of the spend. */
    CompletionStage<Map<Long, Set<Address>>> payers(List<PastSpend> spends);

    CompletionStage<Optional<PastSpend>> ofTransaction(Hash256 txId);

    /** Finds the spend that a token is or was bound to; of several the confirmed one, otherwise the newest. */
    CompletionStage<Optional<PastSpend>> ofToken(String token);

    /** Finds a transaction that a token was ever bound to, even if the token has expired or the spend is erased. */
    CompletionStage<Optional<Hash256>> everBound(String token);

    /**
     * Changes the caller's memo of a spend, durably.
     *
     * @return whether there is such a spend
     */
    CompletionStage<Boolean> setMemo(long number, Optional<String> memo);

    /**
     * Reduces spends that did not change since {@code before} (milliseconds since 1970) to their numbers, token digests, transaction ids and
     * amounts, the oldest first, once their tokens have expired.
     *
     * @param most upper limit of spends in this commit
     * @param amounts derives the amounts to keep from the full record; runs on the store's writer
     * @return how many in this commit
     */
    CompletionStage<Integer> shorten(long before, int most, Function<PastSpend, Amounts> amounts);

    /**
     * Removes spends that did not change since {@code before} (milliseconds since 1970), at most {@code most} in this commit. The transactions
     * that their tokens were bound to stay known.
     *
     * @return how many in this commit
     */
    CompletionStage<Integer> erase(long before, int most);

    /**
     * Record of a spend in the history.
     *
     * @param number of the spend, for life
     * @param from address that it spends from; empty where the answer's change output names it, or nothing does
     * @param clientToken the token as its caller wrote it
     * @param createdAt milliseconds since 1970; empty where an older release did not keep it
     * @param changedAt time of the last change of its state, milliseconds since 1970
     * @param blockHeight empty while it is in no block, and where the height was not kept
     * @param told how much of the spend is still kept
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
        /** The whole spend; its transaction bytes may be sealed. */
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
     * Amounts of a spend, where they are known.
     *
     * @param amount paid to the recipients, without change and fee
     */
    record Amounts(Optional<Amount> amount, Optional<Amount> fee) {}
}
