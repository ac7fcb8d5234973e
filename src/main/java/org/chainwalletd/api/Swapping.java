package org.chainwalletd.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/**
 * Methods of the swap engine, and methods answered by the pool (interface.md, section 4.13; swap.md, section 4). Asset amounts are decimal
 * strings, times are Unix seconds. Members have their default names; a brand may rename the words for both chains.
 */
public final class Swapping {
    private Swapping() {}

    /** Swap as returned by all methods of the engine and in events. Never contains the secret. */
    public record SwapRecord(
            String swapId,
            String poolSwapId,

            @Doc("chain_to_native or native_to_chain, in the brand's words")
            String direction,

            @Doc(
                    "quoted, locking, user_locked, pool_locked, claiming, completed; refunding, refunded; expired, failed, lost")
            String status,

            @Doc("SHA-256 of the secret, without 0x") Hash256 hashlock,

            @Doc("decimal in whole coins") String amountIn,
            @Doc("decimal in whole coins") String amountOut,
            @Doc("in smallest units") String amountInUnits,
            @Doc("in smallest units") String amountOutUnits,
            String htlcContract,
            Address ourChainAddress,
            String ourEvmAddress,
            @Doc("in a sell: who may claim our lock") Optional<PublicKey> poolChainPubkey,
            @Doc("in a buy: who may claim our lock") Optional<String> poolEvmAddress,

            @Doc("in a sell: above it our lock can be taken back")
            OptionalLong chainTimeoutHeight,

            @Doc("in a buy: from then on our lock can be taken back")
            OptionalLong evmTimeoutSec,

            @Doc("the transaction of our lock") Optional<String> userLockTx,

            @Doc("where the pool's lock stands: an outpoint of the chain, or the contract's slot")
            Optional<String> poolLockRef,

            Optional<String> claimTx,
            Optional<String> refundTx,
            long expiresAt,
            @Doc("by the pool's own word") long feeBps,
            @Doc("by the pool's own word") Optional<String> networkFeeNative,
            @Doc("why it does not go on as hoped") Optional<String> error,
            long createdAt,
            long updatedAt,

            @Doc(
                    "from swap_get_quote: whom this daemon trusts with the whole amount, where a single account-chain endpoint decides")
            Optional<String> warning) {}

    @Method(
            name = "swap_get_quote",
            scope = Scope.SPEND,
            summary =
                    "Asks the pool for a quote and binds it: nothing is locked. It can be executed until it expires, by the"
                            + " process that took it. Only min_amount_out protects the price, since fee and impact are judged by the pool's own figures."
                            + " Refused as long as no swap engine is configured.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.NO_EVM_KEY, ErrorCode.UPSTREAM},
            background = true)
    public record SwapGetQuote(
            @Doc("chain_to_native (a sell) or native_to_chain (a buy); the brand's words are read too")
            String direction,

            @Doc("decimal string in whole coins of the asset that is given")
            String amountIn,

            @Doc("own address of the chain leg") Address from,

            @Doc("decimal string; a quote below it is refused")
            Optional<String> minAmountOut)
            implements Call<SwapRecord> {
        /** Accepts any price. */
        public SwapGetQuote(String direction, String amountIn, Address from) {
            this(direction, amountIn, from, Optional.empty());
        }

        public SwapGetQuote(String direction, String amountIn, Address from, String minAmountOut) {
            this(direction, amountIn, from, Optional.of(minAmountOut));
        }
    }

    @Method(
            name = "swap_execute",
            scope = Scope.SPEND,
            summary =
                    "Locks our side of a quote; the daemon then claims the pool's, or takes ours back, without being asked again."
                            + " A repeated call answers the record as it stands and locks nothing more. A sell is metered by the spend allowance."
                            + " Refused as long as no swap engine is configured.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            },
            background = true)
    public record SwapExecute(
            @Doc("the daemon's own id of the swap") String swapId,

            @Doc("decimal string; a quote below it is not executed")
            Optional<String> minAmountOut)
            implements Call<SwapRecord> {
        public SwapExecute(String swapId) {
            this(swapId, Optional.empty());
        }

        public SwapExecute(String swapId, String minAmountOut) {
            this(swapId, Optional.of(minAmountOut));
        }
    }

    @Method(
            name = "swap_refund",
            scope = Scope.SPEND,
            summary =
                    "Takes our own lock back when it is due; the daemon does so by itself too. Not due is -32037, nothing locked -32602."
                            + " Refused as long as no swap engine is configured.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.HTLC_OUTPUT_AUTH,
                ErrorCode.TIMEOUT_NOT_REACHED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            },
            background = true)
    public record SwapRefund(
            @Doc("the daemon's own id of the swap") String swapId) implements Call<SwapRecord> {}

    @Method(
            name = "swap_status",
            scope = Scope.READ,
            summary = "One swap, as of the last look at both chains. Refused as long as no swap engine is configured.",
            background = true)
    public record SwapStatus(
            @Doc("the daemon's own id of the swap") String swapId) implements Call<SwapRecord> {}

    @Method(
            name = "swap_list",
            scope = Scope.READ,
            summary =
                    "Swaps of the journal, newest first. Quotes that expired are forgotten after a week. Refused as long as no swap engine is configured.")
    public record SwapList(
            @Doc("only swaps of this status") Optional<String> state,
            @Doc("default 100, at most 1000") OptionalLong limit,
            @Doc("from a previous answer") Optional<String> cursor)
            implements Call<SwapList.Result> {
        /** Lists all swaps, starting with the newest. */
        public static SwapList of() {
            return new SwapList(Optional.empty(), OptionalLong.empty(), Optional.empty());
        }

        public SwapList withState(String changed) {
            return new SwapList(Optional.of(changed), limit, cursor);
        }

        public SwapList withLimit(long changed) {
            return new SwapList(state, OptionalLong.of(changed), cursor);
        }

        public SwapList withCursor(String changed) {
            return new SwapList(state, limit, Optional.of(changed));
        }

        public record Result(List<SwapRecord> swaps, Optional<String> nextCursor) {}
    }

    @Method(
            name = "swap_pool_info",
            scope = Scope.READ,
            summary = "The pool's price, fee and reserves. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record SwapPoolInfo() implements Call<SwapPoolInfo.Result> {
        /** Values are null if the pool does not report them. */
        public record Result(
                @OrNull Optional<String> midPriceNativePerChain,
                @OrNull OptionalLong feeBps,
                @OrNull OptionalLong maxSwapBps,
                @OrNull Optional<String> chainReserve,
                @OrNull Optional<String> nativeReserve) {}
    }

    @Method(
            name = "swap_price_klines",
            scope = Scope.READ,
            summary = "The pool's price over time. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record SwapPriceKlines(
            @Doc("default 1d") Optional<String> interval,
            @Doc("default 120, at most 500") OptionalLong limit) implements Call<SwapPriceKlines.Result> {
        /** Requests daily prices, as many as the pool returns by default. */
        public static SwapPriceKlines of() {
            return new SwapPriceKlines(Optional.empty(), OptionalLong.empty());
        }

        public SwapPriceKlines withInterval(String changed) {
            return new SwapPriceKlines(Optional.of(changed), limit);
        }

        public SwapPriceKlines withLimit(long changed) {
            return new SwapPriceKlines(interval, OptionalLong.of(changed));
        }

        public record Kline(long t, String o, String h, String l, String c) {}

        public record Result(List<Kline> items) {}
    }

    /** Result of the liquidity methods. */
    public record PoolAnswer(@Doc("what the pool answered") Map<String, JsonNode> answer) {}

    @Method(
            name = "lp_pool_info",
            scope = Scope.READ,
            summary = "The liquidity pool. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record LpPoolInfo() implements Call<PoolAnswer> {}

    @Method(
            name = "lp_position",
            scope = Scope.READ,
            summary = "The shares of an address. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record LpPosition(Address address) implements Call<PoolAnswer> {}

    @Method(
            name = "lp_deposit_start",
            scope = Scope.READ,
            summary = "Begins a deposit; answers how to fund it. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record LpDepositStart(
            Address chainAddress,
            @Doc("0x and 40 hex characters") String evmAddress) implements Call<PoolAnswer> {}

    @Method(
            name = "lp_deposit_status",
            scope = Scope.READ,
            summary = "How far a deposit has come. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record LpDepositStatus(String id) implements Call<PoolAnswer> {}

    @Method(
            name = "lp_withdraw_self",
            scope = Scope.SPEND,
            summary = "Cashes shares out. Refused as long as no pool is configured.",
            errors = ErrorCode.UPSTREAM)
    public record LpWithdrawSelf(
            Address chainAddress, @Doc("decimal string") String shares) implements Call<PoolAnswer> {}
}
