package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code export_address}: Seals one key, with its standard phrase and label, into a portable vault. Needs the spend
 * token.
 *
 * @param passphrase passphrase of the vault, independent of the keystore's
 */
public record ExportAddress(String address, String passphrase) implements Call<ExportAddress.Result> {
    /** With what must be there. */
    public static ExportAddress of(String address, String passphrase) {
        return new ExportAddress(address, passphrase);
    }

    @Override
    public String method() {
        return "export_address";
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
        return "ExportAddress[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String address, String vaultHex) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("vault_hex", Answer::text));
        }
    }
}
