package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_output_spent_by}: The confirmed transaction that has spent an output. Needs the read token.
 *
 * @param txId Transaction that has the output
 */
public record GetOutputSpentBy(String txId, Long outputIndex) implements Call<GetOutputSpentBy.Result> {
    /** With what must be there. */
    public static GetOutputSpentBy of(String txId, Long outputIndex) {
        return new GetOutputSpentBy(txId, outputIndex);
    }

    @Override
    public String method() {
        return "get_output_spent_by";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("tx_id", txId);
        params.put("output_index", outputIndex);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param spent false: nobody has, in the view of who answered
     * @param source `indexer-cache`, `node` or `fallback-unknown-method`
     */
    public record Result(
            Boolean spent,
            Optional<String> spendingTxId,
            Optional<Long> inputIndex,
            Optional<BigInteger> blockHeight,
            String source) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("spent", Answer::truth),
                    answer.optional("spending_tx_id", Answer::text),
                    answer.optional("input_index", Answer::int64),
                    answer.optional("block_height", Answer::u64),
                    answer.get("source", Answer::text));
        }
    }
}
