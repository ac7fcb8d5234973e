package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code verify_message}: Verifies a signature of sign_message; asks neither the keyring nor a node. A key that is
 * weak or no key at all is not valid, which is no error. Needs the read token.
 *
 * @param message taken as it is, in UTF-8; may be empty
 * @param address when given, it must be the address of pubkey too
 */
public record VerifyMessage(String pubkey, String signature, String message, Optional<String> address)
        implements Call<VerifyMessage.Result> {
    /** With what must be there. */
    public static VerifyMessage of(String pubkey, String signature, String message) {
        return new VerifyMessage(pubkey, signature, message, Optional.empty());
    }

    public VerifyMessage withAddress(String address) {
        return new VerifyMessage(pubkey, signature, message, Optional.of(address));
    }

    @Override
    public String method() {
        return "verify_message";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("pubkey", pubkey);
        params.put("signature", signature);
        params.put("message", message);
        address.ifPresent(value -> params.put("address", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param address of pubkey, also when valid is false
     */
    public record Result(Boolean valid, String address) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("valid", Answer::truth), answer.get("address", Answer::text));
        }
    }
}
