package org.chainwalletd.swap.pool;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;

/**
 * The market-making service (swap.md, section 3). Stages fail with {@link PoolException} alone; they are completed on the daemon's own
 * threads.
 */
public interface Pool {
    /** Most klines in one answer. */
    int MOST_KLINES = 500;

    /**
     * Request for a quote.
     *
     * @param amountIn decimal in whole coins
     * @param evmAddress ours, to be paid at in a sell
     * @param chainKey our public key, to be paid at in a buy
     */
    record QuoteRequest(
            Direction direction, String amountIn, Hash256 hashLock, EvmAddress evmAddress, PublicKey chainKey) {}

    CompletionStage<PoolQuote> quote(QuoteRequest request);

    CompletionStage<PoolInfo> info();

    /** Notifies the pool of our lock on the chain, which it would also find by itself. */
    CompletionStage<Void> notifyChainLock(String poolSwapId, Hash256 txId);

    /**
     * Gives the pool the secret so that it sends our claim of its lock; completes with what it says is the transaction's id.
     *
     * @param secret 32 bytes; stays the caller's
     */
    CompletionStage<Hash256> relayClaim(String poolSwapId, SecretBytes secret);

    /**
     * At most {@code limit} of the newest.
     *
     * @param interval the pool's own word, such as {@code 1d}
     */
    CompletionStage<List<Kline>> klines(String interval, int limit);

    /** The liquidity pool, as the pool describes it: a JSON object of bounded size and depth. */
    CompletionStage<JsonNode> lpPool();

    CompletionStage<JsonNode> lpPosition(Address address);

    CompletionStage<JsonNode> lpDepositStart(Address chainAddress, EvmAddress evmAddress);

    /** @param id as {@link #lpDepositStart} gave it */
    CompletionStage<JsonNode> lpDeposit(String id);

    CompletionStage<JsonNode> lpWithdraw(Address chainAddress, String shares);

    /** Whether a text can be a part of a path here: 1 to 128 letters, digits, dots, colons, dashes and underscores, and not only dots. */
    static boolean isPathWord(String text) {
        return text.matches("[A-Za-z0-9_.:-]{1,128}") && !text.matches("\\.+");
    }

    /** An own copy of an interval's word: digits and a letter. */
    static Optional<String> interval(String text) {
        return text.matches("[1-9][0-9]{0,2}[a-zA-Z]") ? Optional.of(text) : Optional.empty();
    }

    /** @param time Unix seconds at which it begins */
    record Kline(long time, BigDecimal open, BigDecimal high, BigDecimal low, BigDecimal close) {}

    /** The pool's description of itself; each part empty when it says nothing. Shown, and used to judge the pool by its own words. */
    record PoolInfo(
            Optional<BigDecimal> midPrice,
            Optional<Long> feeBps,
            Optional<Long> maxSwapBps,
            Optional<BigDecimal> chainReserve,
            Optional<BigDecimal> nativeReserve,
            Optional<String> htlcContract) {}

    /**
     * A quote as the pool wrote it (swap.md, section 3): of the right types and lengths, and otherwise unbelieved. Amounts are texts as they
     * came; what they are worth is for who binds the quote.
     *
     * @param expiresAt Unix seconds
     * @param feeBps of the output, in hundredths of a percent
     * @param networkFeeNative decimal, in whole native coins
     * @param evm what we are to lock in a buy
     * @param chain what we are to lock in a sell
     */
    record PoolQuote(
            String swapId,
            String amountIn,
            String amountOut,
            String amountInUnits,
            String amountOutUnits,
            long expiresAt,
            long feeBps,
            Optional<String> networkFeeNative,
            Optional<String> htlcContract,
            Optional<EvmLock> evm,
            Optional<ChainLock> chain) {

        /** @param timeoutSec Unix seconds, unsigned */
        public record EvmLock(String htlcContract, String recipient, long timeoutSec) {}

        /** @param timeoutHeight unsigned */
        public record ChainLock(String receiverPubkey, long timeoutHeight) {}
    }

    /** Why the pool gave no answer that can be used. All are -32020 to a caller. */
    abstract sealed class PoolException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private PoolException(String message) {
            super(message, null, false, false);
        }

        /** The pool answered with an error of its own. */
        public static final class Refused extends PoolException {
            private static final long serialVersionUID = 1L;

            private final int status;

            /** @param words the pool's, already cut and cleaned */
            public Refused(int status, String words) {
                super("the pool refuses (HTTP " + status + "): " + words);
                this.status = status;
            }

            public int status() {
                return status;
            }
        }

        /** Signals that no answer came in time. Whether the question arrived is not known. */
        public static final class Unreachable extends PoolException {
            private static final long serialVersionUID = 1L;

            public Unreachable(String why) {
                super("the pool gives no answer: " + why);
            }
        }

        /** The pool gave an answer that is malformed or too long. */
        public static final class BadAnswer extends PoolException {
            private static final long serialVersionUID = 1L;

            public BadAnswer(String what) {
                super("the pool answers nonsense: " + what);
            }
        }
    }
}
