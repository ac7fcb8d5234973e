package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code list_settlements}: Contracts of an address that have been settled, in ascending order of height. Needs the
 * read token.
 *
 * @param contractHash Only this kind of contract
 * @param sinceHeight Only blocks of this height and above
 * @param limit Rows of a page, 100 by default, at most 1000
 * @param cursor `next_cursor` of the page before
 */
public record ListSettlements(
        String address,
        Optional<String> contractHash,
        Optional<BigInteger> sinceHeight,
        Optional<Long> limit,
        Optional<String> cursor)
        implements Call<ListSettlements.Result> {
    /** With what must be there. */
    public static ListSettlements of(String address) {
        return new ListSettlements(address, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public ListSettlements withContractHash(String contractHash) {
        return new ListSettlements(address, Optional.of(contractHash), sinceHeight, limit, cursor);
    }

    public ListSettlements withSinceHeight(BigInteger sinceHeight) {
        return new ListSettlements(address, contractHash, Optional.of(sinceHeight), limit, cursor);
    }

    public ListSettlements withLimit(Long limit) {
        return new ListSettlements(address, contractHash, sinceHeight, Optional.of(limit), cursor);
    }

    public ListSettlements withCursor(String cursor) {
        return new ListSettlements(address, contractHash, sinceHeight, limit, Optional.of(cursor));
    }

    @Override
    public String method() {
        return "list_settlements";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        contractHash.ifPresent(value -> params.put("contract_hash", value));
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
    public record Result(List<Settlement> settlements, Optional<String> nextCursor) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("settlements", Answer.list(Settlement::read)),
                    answer.optional("next_cursor", Answer::text));
        }

        /**
         * Part of the answer.
         *
         * @param txId The lock once more; the transaction that settled it is in `htlc_status`
         */
        public record Settlement(
                String txId,
                BigInteger blockHeight,
                String contractHash,
                String outcome,
                String observerAddress,
                String counterparty,
                BigInteger amount,
                String lockTxId,
                Long lockOutputIndex) {
            static Settlement read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Settlement(
                        answer.get("tx_id", Answer::text),
                        answer.get("block_height", Answer::u64),
                        answer.get("contract_hash", Answer::text),
                        answer.get("outcome", Answer::text),
                        answer.get("observer_address", Answer::text),
                        answer.get("counterparty", Answer::text),
                        answer.get("amount", Answer::u64),
                        answer.get("lock_tx_id", Answer::text),
                        answer.get("lock_output_index", Answer::int64));
            }
        }
    }
}
