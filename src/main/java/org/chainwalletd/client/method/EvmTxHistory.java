package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_tx_history}: Everything that this daemon sent on the account chain, newest first, with how far each
 * transaction has come. Refused without --evm-rpc. Needs the read token.
 *
 * @param limit default 100, at most 1000
 * @param cursor from a previous answer
 */
public record EvmTxHistory(Optional<BigInteger> limit, Optional<String> cursor) implements Call<EvmTxHistory.Result> {
    /** With what must be there. */
    public static EvmTxHistory of() {
        return new EvmTxHistory(Optional.empty(), Optional.empty());
    }

    public EvmTxHistory withLimit(BigInteger limit) {
        return new EvmTxHistory(Optional.of(limit), cursor);
    }

    public EvmTxHistory withCursor(String cursor) {
        return new EvmTxHistory(limit, Optional.of(cursor));
    }

    @Override
    public String method() {
        return "evm_tx_history";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        limit.ifPresent(value -> params.put("limit", value));
        cursor.ifPresent(value -> params.put("cursor", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param txs newest first
     * @param nextCursor for the next page; absent on the last one
     */
    public record Result(BigInteger chainId, List<Tx> txs, Optional<String> nextCursor) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("chain_id", Answer::u64),
                    answer.get("txs", Answer.list(Tx::read)),
                    answer.optional("next_cursor", Answer::text));
        }

        /**
         * Part of the answer.
         *
         * @param hash of the version that was mined, otherwise of the newest one
         * @param direction out, or self for one to the own address
         * @param kind send, lock, claim or refund
         * @param status journalled, sent, mined, final; cancelling, cancelled; reverting, reverted; lost
         */
        public record Tx(
                String hash,
                String direction,
                String kind,
                String from,
                String to,
                String amountWei,
                String status,
                BigInteger createdAt,
                BigInteger updatedAt) {
            static Tx read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Tx(
                        answer.get("hash", Answer::text),
                        answer.get("direction", Answer::text),
                        answer.get("kind", Answer::text),
                        answer.get("from", Answer::text),
                        answer.get("to", Answer::text),
                        answer.get("amount_wei", Answer::text),
                        answer.get("status", Answer::text),
                        answer.get("created_at", Answer::u64),
                        answer.get("updated_at", Answer::u64));
            }
        }
    }
}
