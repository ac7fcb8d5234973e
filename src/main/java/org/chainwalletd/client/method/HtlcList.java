package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_list}: HTLCs in which keys of this daemon are parties, from the local index, page by page; with
 * `address` and any role also those of which only an indexer knows, as `observer`. Needs the read token.
 *
 * @param role default `any`; compared with the record's role, so `sender` leaves out those of which both parties
 * are own keys
 * @param sinceHeight only locks in blocks of this height or higher
 * @param limit default 100; more than 1000 counts as 1000
 * @param cursor `next_cursor` of the page before
 * @param address only those of which this address is a party
 */
public record HtlcList(
        Optional<String> role,
        Optional<List<String>> state,
        Optional<BigInteger> sinceHeight,
        Optional<Long> limit,
        Optional<String> cursor,
        Optional<String> address)
        implements Call<HtlcList.Result> {
    /** With what must be there. */
    public static HtlcList of() {
        return new HtlcList(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public HtlcList withRole(String role) {
        return new HtlcList(Optional.of(role), state, sinceHeight, limit, cursor, address);
    }

    public HtlcList withState(List<String> state) {
        return new HtlcList(role, Optional.of(state), sinceHeight, limit, cursor, address);
    }

    public HtlcList withSinceHeight(BigInteger sinceHeight) {
        return new HtlcList(role, state, Optional.of(sinceHeight), limit, cursor, address);
    }

    public HtlcList withLimit(Long limit) {
        return new HtlcList(role, state, sinceHeight, Optional.of(limit), cursor, address);
    }

    public HtlcList withCursor(String cursor) {
        return new HtlcList(role, state, sinceHeight, limit, Optional.of(cursor), address);
    }

    public HtlcList withAddress(String address) {
        return new HtlcList(role, state, sinceHeight, limit, cursor, Optional.of(address));
    }

    @Override
    public String method() {
        return "htlc_list";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        role.ifPresent(value -> params.put("role", value));
        state.ifPresent(value -> params.put("state", value));
        sinceHeight.ifPresent(value -> params.put("since_height", value));
        limit.ifPresent(value -> params.put("limit", value));
        cursor.ifPresent(value -> params.put("cursor", value));
        address.ifPresent(value -> params.put("address", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param htlcs ascending by lock height, lock transaction id and output index; locks in no block come last
     * @param nextCursor absent on the last page
     */
    public record Result(List<Htlc> htlcs, Optional<String> nextCursor) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("htlcs", Answer.list(Htlc::read)), answer.optional("next_cursor", Answer::text));
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
