package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code send_raw_transaction}: Broadcasts a transaction that was signed elsewhere. One that the node knows already
 * counts as sent. Needs the spend token.
 *
 * @param txHex complete signed transaction
 */
public record SendRawTransaction(String txHex) implements Call<SendRawTransaction.Result> {
    /** With what must be there. */
    public static SendRawTransaction of(String txHex) {
        return new SendRawTransaction(txHex);
    }

    @Override
    public String method() {
        return "send_raw_transaction";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("tx_hex", txHex);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(String txId) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("tx_id", Answer::text));
        }
    }
}
