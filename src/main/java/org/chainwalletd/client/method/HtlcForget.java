package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_forget}: Removes a claimed, reclaimed or unknown HTLC from the local index. It comes back when a
 * reorganisation takes the block away that settled it. Needs the manage token.
 *
 * @param outputIndex default 0
 */
public record HtlcForget(String lockTxId, Optional<Long> outputIndex) implements Call<HtlcForget.Result> {
    /** With what must be there. */
    public static HtlcForget of(String lockTxId) {
        return new HtlcForget(lockTxId, Optional.empty());
    }

    public HtlcForget withOutputIndex(Long outputIndex) {
        return new HtlcForget(lockTxId, Optional.of(outputIndex));
    }

    @Override
    public String method() {
        return "htlc_forget";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("lock_tx_id", lockTxId);
        outputIndex.ifPresent(value -> params.put("output_index", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param removed false when there is no such record
     */
    public record Result(Boolean removed) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("removed", Answer::truth));
        }
    }
}
