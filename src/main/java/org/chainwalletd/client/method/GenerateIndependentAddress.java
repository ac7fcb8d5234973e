package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code generate_independent_address}: Makes a new key whose 24-word phrase spells the secret itself; the phrase
 * restores into this daemon only. Needs the manage token.
 *
 * @param label text for people, at most 256 bytes of UTF-8, no control characters
 */
public record GenerateIndependentAddress(Optional<String> label) implements Call<GenerateIndependentAddress.Result> {
    /** With what must be there. */
    public static GenerateIndependentAddress of() {
        return new GenerateIndependentAddress(Optional.empty());
    }

    public GenerateIndependentAddress withLabel(String label) {
        return new GenerateIndependentAddress(Optional.of(label));
    }

    @Override
    public String method() {
        return "generate_independent_address";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        label.ifPresent(value -> params.put("label", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
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
