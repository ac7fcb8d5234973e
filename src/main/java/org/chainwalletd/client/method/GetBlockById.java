package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code get_block_by_id}: A block by its id; it may be one of a stale fork. Needs the read token.
 */
public record GetBlockById(String blockId) implements Call<GetBlockById.Result> {
    /** With what must be there. */
    public static GetBlockById of(String blockId) {
        return new GetBlockById(blockId);
    }

    @Override
    public String method() {
        return "get_block_by_id";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("block_id", blockId);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param hash The same as block_id
     * @param timestamp Unix seconds
     * @param transactions Transaction ids in block order
     */
    public record Result(
            String blockId,
            String hash,
            BigInteger height,
            String prevBlockId,
            String stateRoot,
            String txRoot,
            BigInteger timestamp,
            BigInteger nonce,
            String difficultyTarget,
            BigInteger txCount,
            List<String> transactions) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("block_id", Answer::text),
                    answer.get("hash", Answer::text),
                    answer.get("height", Answer::u64),
                    answer.get("prev_block_id", Answer::text),
                    answer.get("state_root", Answer::text),
                    answer.get("tx_root", Answer::text),
                    answer.get("timestamp", Answer::u64),
                    answer.get("nonce", Answer::u64),
                    answer.get("difficulty_target", Answer::text),
                    answer.get("tx_count", Answer::u64),
                    answer.get("transactions", Answer.list(Answer::text)));
        }
    }
}
