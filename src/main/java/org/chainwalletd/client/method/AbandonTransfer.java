package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code abandon_transfer}: Frees reserved outpoints of a transfer that the network never accepted, and stops
 * sending it. Ask get_transaction first. Needs the manage token.
 *
 * @param outpoints inputs of the transfer that the network never accepted
 */
public record AbandonTransfer(List<Outpoint> outpoints) implements Call<AbandonTransfer.Result> {
    /** With what must be there. */
    public static AbandonTransfer of(List<Outpoint> outpoints) {
        return new AbandonTransfer(outpoints);
    }

    @Override
    public String method() {
        return "abandon_transfer";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("outpoints", outpoints.stream().map(Outpoint::params).toList());
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * Part of the parameters.
     */
    public record Outpoint(String txId, Long outputIndex) {
        /** With what must be there. */
        public static Outpoint of(String txId, Long outputIndex) {
            return new Outpoint(txId, outputIndex);
        }

        Map<String, Object> params() {
            Map<String, Object> params = new LinkedHashMap<>();
            params.put("tx_id", txId);
            params.put("output_index", outputIndex);
            return params;
        }
    }

    /**
     * What the method answers.
     *
     * @param releasedCount outpoints that were reserved and are free now
     * @param remainingInFlight outpoints that are still reserved
     */
    public record Result(Long releasedCount, Long remainingInFlight) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("released_count", Answer::int64), answer.get("remaining_in_flight", Answer::int64));
        }
    }
}
