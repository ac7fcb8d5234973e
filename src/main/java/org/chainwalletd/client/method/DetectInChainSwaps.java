package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code detect_in_chain_swaps}: HTLCs of this chain that share a hash lock. Needs the read token.
 *
 * @param hashLock Only HTLCs with this hash lock
 * @param limit Most groups, 100 by default, at most 1000
 */
public record DetectInChainSwaps(Optional<String> hashLock, Optional<Long> limit)
        implements Call<DetectInChainSwaps.Result> {
    /** With what must be there. */
    public static DetectInChainSwaps of() {
        return new DetectInChainSwaps(Optional.empty(), Optional.empty());
    }

    public DetectInChainSwaps withHashLock(String hashLock) {
        return new DetectInChainSwaps(Optional.of(hashLock), limit);
    }

    public DetectInChainSwaps withLimit(Long limit) {
        return new DetectInChainSwaps(hashLock, Optional.of(limit));
    }

    @Override
    public String method() {
        return "detect_in_chain_swaps";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        hashLock.ifPresent(value -> params.put("hash_lock", value));
        limit.ifPresent(value -> params.put("limit", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(List<Swap> swaps) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("swaps", Answer.list(Swap::read)));
        }

        /**
         * Part of the answer.
         *
         * @param htlcs Two or more
         */
        public record Swap(String hashLock, List<Htlc> htlcs) {
            static Swap read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Swap(answer.get("hash_lock", Answer::text), answer.get("htlcs", Answer.list(Htlc::read)));
            }

            /**
             * Part of the answer.
             *
             * @param lockBlockHeight null while the lock is in the mempool
             */
            public record Htlc(
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
                static Htlc read(JsonNode json) {
                    Answer answer = Answer.of(json);
                    return new Htlc(
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
                 */
                public record Claim(String txId, String preimage, BigInteger blockHeight, Long inputIndex) {
                    static Claim read(JsonNode json) {
                        Answer answer = Answer.of(json);
                        return new Claim(
                                answer.get("tx_id", Answer::text),
                                answer.get("preimage", Answer::text),
                                answer.get("block_height", Answer::u64),
                                answer.get("input_index", Answer::int64));
                    }
                }

                /**
                 * Part of the answer.
                 */
                public record Reclaim(String txId, BigInteger blockHeight, Long inputIndex) {
                    static Reclaim read(JsonNode json) {
                        Answer answer = Answer.of(json);
                        return new Reclaim(
                                answer.get("tx_id", Answer::text),
                                answer.get("block_height", Answer::u64),
                                answer.get("input_index", Answer::int64));
                    }
                }
            }
        }
    }
}
