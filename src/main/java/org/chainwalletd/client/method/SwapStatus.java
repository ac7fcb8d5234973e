package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code swap_status}: One swap, as of the last look at both chains. Refused as long as no swap engine is
 * configured. Needs the read token.
 *
 * @param swapId the daemon's own id of the swap
 */
public record SwapStatus(String swapId) implements Call<SwapStatus.Result> {
    /** With what must be there. */
    public static SwapStatus of(String swapId) {
        return new SwapStatus(swapId);
    }

    @Override
    public String method() {
        return "swap_status";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("swap_id", swapId);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param direction chain_to_native or native_to_chain, in the brand's words
     * @param status quoted, locking, user_locked, pool_locked, claiming, completed; refunding, refunded; expired,
     * failed, lost
     * @param hashlock SHA-256 of the secret, without 0x
     * @param amountIn decimal in whole coins
     * @param amountOut decimal in whole coins
     * @param amountInUnits in smallest units
     * @param amountOutUnits in smallest units
     * @param poolChainPubkey in a sell: who may claim our lock
     * @param poolEvmAddress in a buy: who may claim our lock
     * @param chainTimeoutHeight in a sell: above it our lock can be taken back
     * @param evmTimeoutSec in a buy: from then on our lock can be taken back
     * @param userLockTx the transaction of our lock
     * @param poolLockRef where the pool's lock stands: an outpoint of the chain, or the contract's slot
     * @param feeBps by the pool's own word
     * @param networkFeeNative by the pool's own word
     * @param error why it does not go on as hoped
     */
    public record Result(
            String swapId,
            String poolSwapId,
            String direction,
            String status,
            String hashlock,
            String amountIn,
            String amountOut,
            String amountInUnits,
            String amountOutUnits,
            String htlcContract,
            String ourChainAddress,
            String ourEvmAddress,
            Optional<String> poolChainPubkey,
            Optional<String> poolEvmAddress,
            Optional<BigInteger> chainTimeoutHeight,
            Optional<BigInteger> evmTimeoutSec,
            Optional<String> userLockTx,
            Optional<String> poolLockRef,
            Optional<String> claimTx,
            Optional<String> refundTx,
            BigInteger expiresAt,
            BigInteger feeBps,
            Optional<String> networkFeeNative,
            Optional<String> error,
            BigInteger createdAt,
            BigInteger updatedAt) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("swap_id", Answer::text),
                    answer.get("pool_swap_id", Answer::text),
                    answer.get("direction", Answer::text),
                    answer.get("status", Answer::text),
                    answer.get("hashlock", Answer::text),
                    answer.get("amount_in", Answer::text),
                    answer.get("amount_out", Answer::text),
                    answer.get("amount_in_units", Answer::text),
                    answer.get("amount_out_units", Answer::text),
                    answer.get("htlc_contract", Answer::text),
                    answer.get("our_chain_address", Answer::text),
                    answer.get("our_evm_address", Answer::text),
                    answer.optional("pool_chain_pubkey", Answer::text),
                    answer.optional("pool_evm_address", Answer::text),
                    answer.optional("chain_timeout_height", Answer::u64),
                    answer.optional("evm_timeout_sec", Answer::u64),
                    answer.optional("user_lock_tx", Answer::text),
                    answer.optional("pool_lock_ref", Answer::text),
                    answer.optional("claim_tx", Answer::text),
                    answer.optional("refund_tx", Answer::text),
                    answer.get("expires_at", Answer::u64),
                    answer.get("fee_bps", Answer::u64),
                    answer.optional("network_fee_native", Answer::text),
                    answer.optional("error", Answer::text),
                    answer.get("created_at", Answer::u64),
                    answer.get("updated_at", Answer::u64));
        }
    }
}
