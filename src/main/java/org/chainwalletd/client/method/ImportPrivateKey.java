package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code import_private_key}: Takes in a raw Ed25519 secret; the caller keeps the backup. Needs the manage token.
 *
 * @param privateKey raw 32-byte Ed25519 secret as 64 hex characters
 * @param label text for people, at most 256 bytes of UTF-8, no control characters
 */
public record ImportPrivateKey(String privateKey, Optional<String> label) implements Call<ImportPrivateKey.Result> {
    /** With what must be there. */
    public static ImportPrivateKey of(String privateKey) {
        return new ImportPrivateKey(privateKey, Optional.empty());
    }

    public ImportPrivateKey withLabel(String label) {
        return new ImportPrivateKey(privateKey, Optional.of(label));
    }

    @Override
    public String method() {
        return "import_private_key";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("private_key", privateKey);
        label.ifPresent(value -> params.put("label", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "ImportPrivateKey[not shown]";
    }

    /**
     * What the method answers.
     *
     * @param rescanBlocksLeft Blocks that are read in the background until the history of the address is known;
     * get_follower_status tells how far that is. Absent for a key that was drawn here, and when nothing is being read
     */
    public record Result(String address, String pubkey, Boolean imported, Optional<BigInteger> rescanBlocksLeft) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.get("pubkey", Answer::text),
                    answer.get("imported", Answer::truth),
                    answer.optional("rescan_blocks_left", Answer::u64));
        }
    }
}
