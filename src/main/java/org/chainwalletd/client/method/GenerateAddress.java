package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code generate_address}: Derives the next key of a seeded (legacy) keyring: index 0, 1, 2 and so on. Refused on
 * a keyring without a seed. Needs the manage token.
 *
 * @param label text for people, at most 256 bytes of UTF-8, no control characters
 */
public record GenerateAddress(Optional<String> label) implements Call<GenerateAddress.Result> {
    /** With what must be there. */
    public static GenerateAddress of() {
        return new GenerateAddress(Optional.empty());
    }

    public GenerateAddress withLabel(String label) {
        return new GenerateAddress(Optional.of(label));
    }

    @Override
    public String method() {
        return "generate_address";
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
    public record Result(String address, String pubkey, Long index, Optional<BigInteger> rescanBlocksLeft) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.get("pubkey", Answer::text),
                    answer.get("index", Answer::int64),
                    answer.optional("rescan_blocks_left", Answer::u64));
        }
    }
}
