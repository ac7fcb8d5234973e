package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * {@code swap_pool_info}: The pool's price, fee and reserves. Refused as long as no pool is configured. Needs the
 * read token.
 */
public record SwapPoolInfo() implements Call<SwapPoolInfo.Result> {
    /** With what must be there. */
    public static SwapPoolInfo of() {
        return new SwapPoolInfo();
    }

    @Override
    public String method() {
        return "swap_pool_info";
    }

    @Override
    public Map<String, Object> params() {
        return Map.of();
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(
            Optional<String> midPriceNativePerChain,
            Optional<BigInteger> feeBps,
            Optional<BigInteger> maxSwapBps,
            Optional<String> chainReserve,
            Optional<String> nativeReserve) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.optional("mid_price_native_per_chain", Answer::text),
                    answer.optional("fee_bps", Answer::u64),
                    answer.optional("max_swap_bps", Answer::u64),
                    answer.optional("chain_reserve", Answer::text),
                    answer.optional("native_reserve", Answer::text));
        }
    }
}
