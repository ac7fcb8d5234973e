package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code find_settlements_by_quote_id}: Outputs that refer to a quote by their datum. Needs the read token.
 *
 * @param quoteId 16 bytes as 32 hex characters
 */
public record FindSettlementsByQuoteId(String quoteId) implements Call<FindSettlementsByQuoteId.Result> {
    /** With what must be there. */
    public static FindSettlementsByQuoteId of(String quoteId) {
        return new FindSettlementsByQuoteId(quoteId);
    }

    @Override
    public String method() {
        return "find_settlements_by_quote_id";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("quote_id", quoteId);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param settlements Several when the quote was settled more than once
     */
    public record Result(List<Settlement> settlements) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("settlements", Answer.list(Settlement::read)));
        }

        /**
         * Part of the answer.
         */
        public record Settlement(String txId, Long outputIndex) {
            static Settlement read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Settlement(answer.get("tx_id", Answer::text), answer.get("output_index", Answer::int64));
            }
        }
    }
}
