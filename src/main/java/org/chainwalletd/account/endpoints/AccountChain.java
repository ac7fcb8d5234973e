package org.chainwalletd.account.endpoints;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * The account chain through all of its configured endpoints. A question is ordinary blocking code over one endpoint's {@link AccountReads}; it
 * is put to all endpoints at once, and an endpoint that has not answered the whole of it within 25 s, or the time of one
 * call where that is longer, counts as silent. Stages fail with {@link AccountException}; await them on a thread that may block.
 */
public interface AccountChain {
    /** Configured chain id; no endpoint is asked. */
    BigInteger chainId();

    /** How many endpoints must give the same answer ({@code --evm-quorum}). */
    int quorum();

    /** Rule for finality ({@code --swap-evm-finality}). */
    Finality finality();

    /**
     * The same endpoints on threads and permits that only claims and refunds of swaps use: whatever else waits for an endpoint that hangs keeps
     * nothing from them.
     */
    AccountChain pressing();

    /**
     * Reads from one endpoint, with failover: for what is only shown, or checked otherwise. The endpoint that answered last is asked first; its
     * refusals are final, its silence is not. Blocks the calling thread.
     */
    AccountReads any();

    /** Puts a question to {@link #any} on threads of its own: for several that do not wait for each other. */
    <T> CompletionStage<T> asked(Function<AccountReads, T> question);

    /**
     * Puts a question to all endpoints and completes with the answer that at least {@link #quorum()} of them give, as soon as no other
     * answer can reach as many. Answers are compared by {@code equals}. Fails with {@link AccountException.Disagreement}, which tells each
     * endpoint's answer.
     *
     * @param question runs once for each endpoint, on threads of that endpoint; made of several reads where their answers belong together, such
     *     as chain id, block hash and state at that hash
     */
    <T> CompletionStage<T> agreed(Function<AccountReads, T> question);

    /**
     * The highest value that at least {@link #quorum()} endpoints reach: no single one can push it up. For heights and counts, which an
     * endpoint that lags behind names too low, and for balances. Waits for all endpoints.
     */
    <T extends Comparable<T>> CompletionStage<T> reached(Function<AccountReads, T> question);

    /**
     * An endpoint's answer.
     *
     * @param endpoint by {@link AccountEndpoint#name}
     */
    record Told<T>(String endpoint, T answer) {}

    /** The answers of all endpoints that have one, in the configured order; each is one endpoint's word. Never fails; waits for all endpoints. */
    <T> CompletionStage<List<Told<T>>> each(Function<AccountReads, T> question);

    /**
     * Price of gas: the base fee in the header of {@link #newestBlock}, and the lower median of the tips that endpoints name, within {@link
     * GasPrice}'s bounds. Fails when the quorum does not agree on that header. Without a base fee there: zero.
     */
    CompletionStage<FeeMarket> fees();

    /**
     * The newest block that the quorum has: of the heights that the endpoints name, the highest that enough of them reach, and the header that
     * enough of them show there. Fails with {@link AccountException.Disagreement}.
     */
    CompletionStage<AccountBlock> newestBlock();

    /**
     * The newest block that is final by {@link #finality()} and that the quorum has: of the heights that the endpoints name, the highest
     * that enough of them reach, and there the hash that enough of them give. Empty while nothing is final.
     */
    CompletionStage<Optional<AccountBlock>> finalBlock();

    /**
     * Hands a transaction to every endpoint. Completes as soon as one of them has it; fails with {@link AccountException.NotTaken} when none
     * has taken it, which is no proof that none has it.
     */
    CompletionStage<Void> sendToAll(Bytes raw, Hash256 hash);

    /**
     * Price of gas in the next block, in wei per gas.
     *
     * @param baseFee burnt, as the header of a block says; zero on a chain without
     * @param tip to be paid beyond it, at least one wei
     */
    public record FeeMarket(BigInteger baseFee, BigInteger tip) {
        private static final BigInteger TWO = BigInteger.valueOf(2);

        /** {@code 2 × base fee + tip}: still enough after six blocks that are all full. */
        public BigInteger comfortable() {
            return baseFee.multiply(TWO).add(tip);
        }
    }

    /** From when on a block of the account chain is taken for final. */
    sealed interface Finality {
        /** The endpoints' tag {@code finalized} or {@code safe}. */
        record Tagged(BlockRef.Tag tag) implements Finality {}

        /** With {@code blocks} blocks above it: the block at {@code latest − blocks} is final. */
        record Depth(long blocks) implements Finality {}

        Finality FINALIZED = new Tagged(BlockRef.Tag.FINALIZED);
    }
}
