package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code reveal_address_mnemonic}: Reveals the 24 words of a 1:1 key: its standard phrase, or the words that spell
 * its secret. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 */
public record RevealAddressMnemonic(String address, String passphrase) implements Call<RevealAddressMnemonic.Result> {
    /** With what must be there. */
    public static RevealAddressMnemonic of(String address, String passphrase) {
        return new RevealAddressMnemonic(address, passphrase);
    }

    @Override
    public String method() {
        return "reveal_address_mnemonic";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        params.put("passphrase", passphrase);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "RevealAddressMnemonic[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String address, List<String> mnemonic) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("mnemonic", Answer.list(Answer::text)));
        }
    }
}
