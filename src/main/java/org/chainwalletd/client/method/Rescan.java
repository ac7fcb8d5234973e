package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code rescan}: Reads the chain again from a height, in the background and across restarts; get_follower_status
 * tells how far it is. Needs the manage token.
 *
 * @param fromHeight First block that is read; 0 for all of them
 */
public record Rescan(BigInteger fromHeight) implements Call<Rescan.Result> {
    /** With what must be there. */
    public static Rescan of(BigInteger fromHeight) {
        return new Rescan(fromHeight);
    }

    @Override
    public String method() {
        return "rescan";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("from_height", fromHeight);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param fromHeight First block of the rescan that runs; others wait for it
     * @param toHeight Where it meets the followed tip, as of now
     * @param blocks Blocks to read; expect up to 2,000 a second from a local node, some 160 from one that is 50 ms away
     */
    public record Result(BigInteger fromHeight, BigInteger toHeight, BigInteger blocks) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("from_height", Answer::u64),
                    answer.get("to_height", Answer::u64),
                    answer.get("blocks", Answer::u64));
        }
    }
}
