package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_import_mnemonic}: Takes the account-chain key from 12 or 24 words, at m/44'/60'/0'/0/0. With overwrite
 * it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap
 * is open. Needs the manage token.
 *
 * @param mnemonic 12 or 24 English BIP-39 words
 * @param overwrite replace an existing key; default false
 */
public record EvmImportMnemonic(String mnemonic, Optional<Boolean> overwrite)
        implements Call<EvmImportMnemonic.Result> {
    /** With what must be there. */
    public static EvmImportMnemonic of(String mnemonic) {
        return new EvmImportMnemonic(mnemonic, Optional.empty());
    }

    public EvmImportMnemonic withOverwrite(Boolean overwrite) {
        return new EvmImportMnemonic(mnemonic, Optional.of(overwrite));
    }

    @Override
    public String method() {
        return "evm_import_mnemonic";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("mnemonic", mnemonic);
        overwrite.ifPresent(value -> params.put("overwrite", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "EvmImportMnemonic[not shown]";
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
