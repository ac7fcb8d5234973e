package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code import_vault}: Takes in the keys of a vault that are not in the keyring yet, all together. Needs the spend
 * token.
 *
 * @param passphrase passphrase of the vault, independent of the keystore's
 */
public record ImportVault(String vaultHex, String passphrase) implements Call<ImportVault.Result> {
    /** With what must be there. */
    public static ImportVault of(String vaultHex, String passphrase) {
        return new ImportVault(vaultHex, passphrase);
    }

    @Override
    public String method() {
        return "import_vault";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("vault_hex", vaultHex);
        params.put("passphrase", passphrase);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "ImportVault[not shown]";
    }

    /**
     * What the method answers.
     *
     * @param rescanBlocksLeft Blocks that are read in the background until the history of the address is known;
     * get_follower_status tells how far that is. Absent for a key that was drawn here, and when nothing is being read
     */
    public record Result(List<String> imported, Optional<BigInteger> rescanBlocksLeft) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("imported", Answer.list(Answer::text)),
                    answer.optional("rescan_blocks_left", Answer::u64));
        }
    }
}
