package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_output_datum}: The quote that an output refers to by its datum. Needs the read token.
 *
 * @param txId Transaction that has the output
 */
public record GetOutputDatum(String txId, Long outputIndex) implements Call<GetOutputDatum.Result> {
    /** With what must be there. */
    public static GetOutputDatum of(String txId, Long outputIndex) {
        return new GetOutputDatum(txId, outputIndex);
    }

    @Override
    public String method() {
        return "get_output_datum";
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
     * @param quoteId 16 bytes, or null when the output carries no such datum
     * @param unhonorable The output has only the hash of a datum
     */
    public record Result(Optional<String> quoteId, Boolean unhonorable) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.optional("quote_id", Answer::text), answer.get("unhonorable", Answer::truth));
        }
    }
}
