package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code export_vault}: Seals every key, with standard phrases and labels, into a portable vault. Takes one key
 * derivation per sealed file. Needs the spend token.
 *
 * @param passphrase passphrase of the vault, independent of the keystore's
 */
public record ExportVault(String passphrase) implements Call<ExportVault.Result> {
    /** With what must be there. */
    public static ExportVault of(String passphrase) {
        return new ExportVault(passphrase);
    }

    @Override
    public String method() {
        return "export_vault";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("passphrase", passphrase);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "ExportVault[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String vaultHex) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("vault_hex", Answer::text));
        }
    }
}
