package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_address_history}: What an address has received and spent, in ascending order of height. Needs the read
 * token.
 *
 * @param sinceHeight Only blocks of this height and above
 * @param limit Rows of a page, 100 by default, at most 1000
 * @param cursor `next_cursor` of the page before
 */
public record GetAddressHistory(
        String address, Optional<BigInteger> sinceHeight, Optional<Long> limit, Optional<String> cursor)
        implements Call<GetAddressHistory.Result> {
    /** With what must be there. */
    public static GetAddressHistory of(String address) {
        return new GetAddressHistory(address, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public GetAddressHistory withSinceHeight(BigInteger sinceHeight) {
        return new GetAddressHistory(address, Optional.of(sinceHeight), limit, cursor);
    }

    public GetAddressHistory withLimit(Long limit) {
        return new GetAddressHistory(address, sinceHeight, Optional.of(limit), cursor);
    }

    public GetAddressHistory withCursor(String cursor) {
        return new GetAddressHistory(address, sinceHeight, limit, Optional.of(cursor));
    }

    @Override
    public String method() {
        return "get_address_history";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        sinceHeight.ifPresent(value -> params.put("since_height", value));
        limit.ifPresent(value -> params.put("limit", value));
        cursor.ifPresent(value -> params.put("cursor", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param nextCursor There is another page
     */
    public record Result(List<HistoryItem> history, Optional<String> nextCursor) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("history", Answer.list(HistoryItem::read)),
                    answer.optional("next_cursor", Answer::text));
        }

        /**
         * Part of the answer.
         */
        public record HistoryItem(
                BigInteger blockHeight, String txId, BigInteger amount, String direction, Boolean isCoinbase) {
            static HistoryItem read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new HistoryItem(
                        answer.get("block_height", Answer::u64),
                        answer.get("tx_id", Answer::text),
                        answer.get("amount", Answer::u64),
                        answer.get("direction", Answer::text),
                        answer.get("is_coinbase", Answer::truth));
            }
        }
    }
}
