package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_send_native}: Pays out of the account-chain key, and never from what open swaps need for gas. The
 * transaction is durable before it leaves, sent again until it is final, and replaced by one that pays more when it
 * is stuck: the hash may change, evm_tx_history has the one that counts. Refused without --evm-rpc. Needs the spend
 * token.
 *
 * @param to 0x and 40 hex characters
 * @param amount decimal string in whole coins, or max for all that open swaps do not need
 * @param clientToken 8 to 128 printable ASCII characters; the same token never pays twice
 */
public record EvmSendNative(String to, String amount, Optional<String> clientToken)
        implements Spend<EvmSendNative.Result> {
    /** With what must be there. */
    public static EvmSendNative of(String to, String amount) {
        return new EvmSendNative(to, amount, Optional.empty());
    }

    public EvmSendNative withClientToken(String clientToken) {
        return new EvmSendNative(to, amount, Optional.of(clientToken));
    }

    @Override
    public String method() {
        return "evm_send_native";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("to", to);
        params.put("amount", amount);
        clientToken.ifPresent(value -> params.put("client_token", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(String txhash) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("txhash", Answer::text));
        }
    }
}
