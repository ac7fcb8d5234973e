package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/**
 * {@code get_follower_status}: Where the follower of the chain stands. Needs the read token.
 */
public record GetFollowerStatus() implements Call<GetFollowerStatus.Result> {
    /** With what must be there. */
    public static GetFollowerStatus of() {
        return new GetFollowerStatus();
    }

    @Override
    public String method() {
        return "get_follower_status";
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
     * @param lastIndexedHeight Highest block that the books hold and others are told of
     * @param lag tip_height minus last_indexed_height
     * @param followerStartedAt Unix seconds
     * @param fullScanComplete Whether no rescan is pending
     * @param tipAgeSeconds Seconds since the time that the last indexed block states
     * @param rescanBlocksLeft Blocks that rescans have not read yet, with the one that waits for the one under way; 0
     * without one
     * @param complaints What keeps the follower from following, and which nodes differ from the followed chain
     */
    public record Result(
            BigInteger lastIndexedHeight,
            String lastIndexedBlockId,
            BigInteger tipHeight,
            Long lag,
            BigInteger indexedHtlcCount,
            BigInteger followerStartedAt,
            Boolean fullScanComplete,
            Long tipAgeSeconds,
            BigInteger rescanBlocksLeft,
            List<String> complaints) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("last_indexed_height", Answer::u64),
                    answer.get("last_indexed_block_id", Answer::text),
                    answer.get("tip_height", Answer::u64),
                    answer.get("lag", Answer::int64),
                    answer.get("indexed_htlc_count", Answer::u64),
                    answer.get("follower_started_at", Answer::u64),
                    answer.get("full_scan_complete", Answer::truth),
                    answer.get("tip_age_seconds", Answer::int64),
                    answer.get("rescan_blocks_left", Answer::u64),
                    answer.get("complaints", Answer.list(Answer::text)));
        }
    }
}
