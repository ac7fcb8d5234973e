package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_block_height}: Height and id of the best block. Needs the read token.
 */
public record GetBlockHeight() implements Call<GetBlockHeight.Result> {
    /** With what must be there. */
    public static GetBlockHeight of() {
        return new GetBlockHeight();
    }

    @Override
    public String method() {
        return "get_block_height";
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
     *
     * @param genesisBlockId Genesis id that the node reports; absent with old nodes
     */
    public record Result(BigInteger height, String blockId, Optional<String> genesisBlockId) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("height", Answer::u64),
                    answer.get("block_id", Answer::text),
                    answer.optional("genesis_block_id", Answer::text));
        }
    }
}
