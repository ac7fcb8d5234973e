package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_import_key}: Takes a raw secp256k1 secret as the account-chain key; the caller keeps the backup. With
 * overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may,
 * or a swap is open. Needs the manage token.
 *
 * @param privateKeyHex 64 hex characters, a secp256k1 secret
 * @param overwrite replace an existing key; default false
 */
public record EvmImportKey(String privateKeyHex, Optional<Boolean> overwrite) implements Call<EvmImportKey.Result> {
    /** With what must be there. */
    public static EvmImportKey of(String privateKeyHex) {
        return new EvmImportKey(privateKeyHex, Optional.empty());
    }

    public EvmImportKey withOverwrite(Boolean overwrite) {
        return new EvmImportKey(privateKeyHex, Optional.of(overwrite));
    }

    @Override
    public String method() {
        return "evm_import_key";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("private_key_hex", privateKeyHex);
        overwrite.ifPresent(value -> params.put("overwrite", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "EvmImportKey[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String address) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text));
        }
    }
}
