package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_tx_history}: Everything that this daemon sent on the account chain. Refused as long as no swap engine
 * is configured. Needs the read token.
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
     */
    public record Result(BigInteger chainId, List<Tx> txs) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("chain_id", Answer::u64), answer.get("txs", Answer.list(Tx::read)));
        }

        /**
         * Part of the answer.
         *
         * @param kind send, lock, claim or refund
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
