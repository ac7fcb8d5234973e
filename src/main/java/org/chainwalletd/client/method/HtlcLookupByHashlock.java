package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_lookup_by_hashlock}: Every HTLC of the local index that commits to a hash lock, and as `observer`
 * those of which only an indexer knows. Anybody may lock with a hash that is known: compare amount, parties and
 * timeout. Needs the read token.
 */
public record HtlcLookupByHashlock(String hashLock) implements Call<HtlcLookupByHashlock.Result> {
    /** With what must be there. */
    public static HtlcLookupByHashlock of(String hashLock) {
        return new HtlcLookupByHashlock(hashLock);
    }

    @Override
    public String method() {
        return "htlc_lookup_by_hashlock";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("hash_lock", hashLock);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(List<Htlc> htlcs) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("htlcs", Answer.list(Htlc::read)));
        }

        /**
         * Part of the answer.
         *
         * @param lockBlockHeight null while the lock is in no block
         * @param claim null while nobody has claimed it; also a claim that is in no block yet, whose preimage is public
         * @param reclaim null while it was not taken back
         * @param role which party the keys of this daemon are; `observer`: only an indexer says that this HTLC exists, do
         * not rest a payment on it
         * @param lastIndexedHeight of the followed tip
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
}
