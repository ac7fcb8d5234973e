package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code export_vault}: Seals every key, with standard phrases and labels, into a portable vault. What is damaged
 * is left out and named; when nothing can be unsealed the call fails. Takes one key derivation per sealed file.
 * Needs the spend token.
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
     *
     * @param notExported what is not in the vault because its sealed file is damaged, missing or another key's; absent
     * when everything is. The log names the file and the reason
     */
    public record Result(String vaultHex, Optional<List<NotExportedItem>> notExported) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("vault_hex", Answer::text),
                    answer.optional("not_exported", Answer.list(NotExportedItem::read)));
        }

        /**
         * Part of the answer.
         *
         * @param part `key`, `phrase` (its key is in the vault), or `evm_key`
         * @param address as list_addresses or evm_get_address tells it
         */
        public record NotExportedItem(String part, String address) {
            static NotExportedItem read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new NotExportedItem(answer.get("part", Answer::text), answer.get("address", Answer::text));
            }
        }
    }
}
