package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code get_block_id_at_height}: Id of the block of the best chain at a height; costs as much as
 * get_block_by_height. Needs the read token.
 */
public record GetBlockIdAtHeight(BigInteger height) implements Call<GetBlockIdAtHeight.Result> {
    /** With what must be there. */
    public static GetBlockIdAtHeight of(BigInteger height) {
        return new GetBlockIdAtHeight(height);
    }

    @Override
    public String method() {
        return "get_block_id_at_height";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("height", height);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(BigInteger height, String blockId) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("height", Answer::u64), answer.get("block_id", Answer::text));
        }
    }
}
