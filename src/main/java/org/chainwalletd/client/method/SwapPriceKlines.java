package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code swap_price_klines}: The pool's price over time. Refused as long as no pool is configured. Needs the read
 * token.
 *
 * @param interval default 1d
 * @param limit default 120, at most 500
 */
public record SwapPriceKlines(Optional<String> interval, Optional<BigInteger> limit)
        implements Call<SwapPriceKlines.Result> {
    /** With what must be there. */
    public static SwapPriceKlines of() {
        return new SwapPriceKlines(Optional.empty(), Optional.empty());
    }

    public SwapPriceKlines withInterval(String interval) {
        return new SwapPriceKlines(Optional.of(interval), limit);
    }

    public SwapPriceKlines withLimit(BigInteger limit) {
        return new SwapPriceKlines(interval, Optional.of(limit));
    }

    @Override
    public String method() {
        return "swap_price_klines";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        interval.ifPresent(value -> params.put("interval", value));
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
    public record Result(List<Item> items) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("items", Answer.list(Item::read)));
        }

        /**
         * Part of the answer.
         */
        public record Item(BigInteger t, String o, String h, String l, String c) {
            static Item read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Item(
                        answer.get("t", Answer::u64),
                        answer.get("o", Answer::text),
                        answer.get("h", Answer::text),
                        answer.get("l", Answer::text),
                        answer.get("c", Answer::text));
            }
        }
    }
}
