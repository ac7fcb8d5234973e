package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_status}: One HTLC: from the local index when a key of this daemon is a party, else from an indexer,
 * as `observer`. Needs the read token.
 *
 * @param outputIndex default 0
 */
public record HtlcStatus(String lockTxId, Optional<Long> outputIndex) implements Call<HtlcStatus.Result> {
    /** With what must be there. */
    public static HtlcStatus of(String lockTxId) {
        return new HtlcStatus(lockTxId, Optional.empty());
    }

    public HtlcStatus withOutputIndex(Long outputIndex) {
        return new HtlcStatus(lockTxId, Optional.of(outputIndex));
    }

    @Override
    public String method() {
        return "htlc_status";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("lock_tx_id", lockTxId);
        outputIndex.ifPresent(value -> params.put("output_index", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param lockBlockHeight null while the lock is in no block
     * @param claim null while nobody has claimed it; also a claim that is in no block yet, whose preimage is public
     * @param reclaim null while it was not taken back
     * @param role which party the keys of this daemon are; `observer`: only an indexer says that this HTLC exists, do
     * not rest a payment on it
     * @param lastIndexedHeight of the followed tip
     */
    public record Result(
            String lockTxId,
            Long outputIndex,
            Params paramsValue,
            BigInteger amount,
            Optional<BigInteger> lockBlockHeight,
            String state,
            Optional<Claim> claim,
            Optional<Reclaim> reclaim,
            String role,
            BigInteger lastIndexedHeight) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("lock_tx_id", Answer::text),
                    answer.get("output_index", Answer::int64),
                    answer.get("params", Params::read),
                    answer.get("amount", Answer::u64),
                    answer.optional("lock_block_height", Answer::u64),
                    answer.get("state", Answer::text),
                    answer.optional("claim", Claim::read),
                    answer.optional("reclaim", Reclaim::read),
                    answer.get("role", Answer::text),
                    answer.get("last_indexed_height", Answer::u64));
        }

        /**
         * Part of the answer.
         *
         * @param sender public key
         * @param receiver public key
         */
        public record Params(String sender, String receiver, String hashLock, BigInteger timeoutHeight) {
            static Params read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Params(
                        answer.get("sender", Answer::text),
                        answer.get("receiver", Answer::text),
                        answer.get("hash_lock", Answer::text),
                        answer.get("timeout_height", Answer::u64));
            }
        }

        /**
         * Part of the answer.
         *
         * @param blockHeight null while it is in no block
         */
        public record Claim(String txId, String preimage, Optional<BigInteger> blockHeight, Long inputIndex) {
            static Claim read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Claim(
                        answer.get("tx_id", Answer::text),
                        answer.get("preimage", Answer::text),
                        answer.optional("block_height", Answer::u64),
                        answer.get("input_index", Answer::int64));
            }
        }

        /**
         * Part of the answer.
         *
         * @param blockHeight null while it is in no block
         */
        public record Reclaim(String txId, Optional<BigInteger> blockHeight, Long inputIndex) {
            static Reclaim read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Reclaim(
                        answer.get("tx_id", Answer::text),
                        answer.optional("block_height", Answer::u64),
                        answer.get("input_index", Answer::int64));
            }
        }
    }
}
