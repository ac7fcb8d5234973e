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

/** The market-making service (swap.md, section 3). Stages fail only with {@link PoolException}; they complete on the daemon's own threads. */
public interface Pool {
    /** Maximum number of klines in one answer. */
    int MOST_KLINES = 500;

    /**
     * Request for a quote.
     *
     * @param amountIn decimal in whole coins
     * @param evmAddress our address, paid in a sell
     * @param chainKey our public key, paid in a buy
     */
    record QuoteRequest(
            Direction direction, String amountIn, Hash256 hashLock, EvmAddress evmAddress, PublicKey chainKey) {}

    CompletionStage<PoolQuote> quote(QuoteRequest request);

    CompletionStage<PoolInfo> info();

    /** Notifies the pool of our lock on the chain, which it could also find by itself. */
    CompletionStage<Void> notifyChainLock(String poolSwapId, Hash256 txId);

    /**
     * Gives the pool the secret so that it sends our claim of its lock; completes with the transaction id that the pool reports.
     *
     * @param secret 32 bytes; remains the caller's
     */
    CompletionStage<Hash256> relayClaim(String poolSwapId, SecretBytes secret);

    /**
     * Returns at most {@code limit} of the newest klines.
     *
     * @param interval in the pool's notation, such as {@code 1d}
     */
    CompletionStage<List<Kline>> klines(String interval, int limit);

    /** Returns the pool's description of its liquidity pool: a JSON object of bounded size and depth. */
    CompletionStage<JsonNode> lpPool();

    CompletionStage<JsonNode> lpPosition(Address address);

    CompletionStage<JsonNode> lpDepositStart(Address chainAddress, EvmAddress evmAddress);

    /** @param id returned by {@link #lpDepositStart} */
    CompletionStage<JsonNode> lpDeposit(String id);

    CompletionStage<JsonNode> lpWithdraw(Address chainAddress, String shares);

    /**
     * Tests whether a text is allowed as a path segment here: 1 to 128 letters, digits, dots, colons, dashes and underscores, and not only dots.
     */
    static boolean isPathWord(String text) {
        return text.matches("[A-Za-z0-9_.:-]{1,128}") && !text.matches("\\.+");
    }

    /** Validates an interval: up to three digits and a letter. */
    static Optional<String> interval(String text) {
        return text.matches("[1-9][0-9]{0,2}[a-zA-Z]") ? Optional.of(text) : Optional.empty();
    }

    /** @param time start of the interval, Unix seconds */
    record Kline(long time, BigDecimal open, BigDecimal high, BigDecimal low, BigDecimal close) {}

    /** The pool's description of itself; absent fields are empty. Shown to callers, and used to check the pool's quotes against its own figures. */
    record PoolInfo(
            Optional<BigDecimal> midPrice,
            Optional<Long> feeBps,
            Optional<Long> maxSwapBps,
            Optional<BigDecimal> chainReserve,
            Optional<BigDecimal> nativeReserve,
            Optional<String> htlcContract) {}

    /**
     * Quote as sent by the pool (swap.md, section 3): types and lengths are checked, the content is untrusted. Amounts are kept as text and
     * interpreted when the quote is bound.
     *
     * @param expiresAt Unix seconds
     * @param feeBps of the output, in hundredths of a percent
     * @param networkFeeNative decimal, in whole native coins
     * @param evm lock that we have to make in a buy
     * @param chain lock that we have to make in a sell
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

    /** Failure of a call to the pool. Callers get the code -32020 for each. */
    abstract sealed class PoolException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private PoolException(String message) {
            super(message, null, false, false);
        }

        /** The pool answered with an error. */
        public static final class Refused extends PoolException {
            private static final long serialVersionUID = 1L;

            private final int status;

            /** @param words error text of the pool, already sanitised and truncated */
            public Refused(int status, String words) {
                super("the pool refuses (HTTP " + status + "): " + words);
                this.status = status;
            }

            public int status() {
                return status;
            }
        }

        /** No answer arrived in time. Whether the request reached the pool is unknown. */
        public static final class Unreachable extends PoolException {
            private static final long serialVersionUID = 1L;

            public Unreachable(String why) {
                super("the pool gives no answer: " + why);
            }
        }

        /** The answer is malformed or too long. */
        public static final class BadAnswer extends PoolException {
            private static final long serialVersionUID = 1L;

            public BadAnswer(String what) {
                super("the pool answers nonsense: " + what);
            }
        }
    }
}
