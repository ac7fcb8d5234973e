package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * The spends that were ever decided on, to be told. Each has a number for life, in the order in which they were decided on: a spend whose number
 * is lower never appears later, so pages by number miss nothing and repeat nothing, whatever is paid, reorganised or restarted meanwhile.
 */
public interface SpendHistory {
    /** Spends behind a number, the lowest first, as they are at one moment. */
    CompletionStage<List<PastSpend>> after(long number, int most);

    CompletionStage<Optional<PastSpend>> ofNumber(long number);

    CompletionStage<Optional<PastSpend>> ofTransaction(Hash256 txId);

    /** The spend that a token is or was bound to; of several the one that a block has, otherwise the newest. */
    CompletionStage<Optional<PastSpend>> ofToken(String token);

    /** A transaction that a token was ever bound to, though it has expired or its spend is erased. */
    CompletionStage<Optional<Hash256>> everBound(String token);

    /**
     * Changes what the caller says of a spend, durably.
     *
     * @return whether there is such a spend
     */
    CompletionStage<Boolean> setMemo(long number, Optional<String> memo);

    /**
     * Reduces spends that did not change since {@code before} to their numbers, digests, transactions and amounts, the oldest first, when their
     * tokens have expired.
     *
     * @param amounts what is left of what it tells now; runs on the store's writer
     * @return how many in this commit
     */
    CompletionStage<Integer> shorten(long before, int most, Function<PastSpend, Amounts> amounts);

    /** Removes spends that did not change since {@code before}; what their tokens were bound to stays known. */
    CompletionStage<Integer> erase(long before, int most);

    /**
     * What is known of a spend.
     *
     * @param from empty where the change of the answer names it, or nothing does
     * @param clientToken as its caller wrote it
     * @param createdAt milliseconds since 1970; empty where an older release has not kept it
     * @param blockHeight empty while no block has it, and where it was not kept
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

    /** What is left of a spend to be told. */
    sealed interface Told {
        /** The spend itself; its bytes may be sealed. */
        record Whole(Intent intent) implements Told {}

        /** @param answer in the form of whoever had it kept ({@link ReceiptStore#keep}) */
        record Answer(Bytes answer) implements Told {}

        /** Its sums alone. */
        record Sums(Amounts amounts) implements Told {}
    }

    /**
     * Sums of a spend, where they are known.
     *
     * @param amount paid, without change and fee
     */
    record Amounts(Optional<Amount> amount, Optional<Amount> fee) {}
}
