package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * {@code ping}: Answers; asks nobody. Needs the read token.
 */
public record Ping() implements Call<Ping.Result> {
    /** With what must be there. */
    public static Ping of() {
        return new Ping();
    }

    @Override
    public String method() {
        return "ping";
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
    public record Result(Boolean ok) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("ok", Answer::truth));
        }
    }
}
