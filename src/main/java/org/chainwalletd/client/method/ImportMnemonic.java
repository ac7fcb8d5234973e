package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code import_mnemonic}: Takes in a key from the 24 words that spell its secret (an independent phrase). Needs
 * the manage token.
 *
 * @param mnemonic 24 English BIP-39 words: one string with any white space between them, or an array of words
 * @param label text for people, at most 256 bytes of UTF-8, no control characters
 */
public record ImportMnemonic(String mnemonic, Optional<String> label) implements Call<ImportMnemonic.Result> {
    /** With what must be there. */
    public static ImportMnemonic of(String mnemonic) {
        return new ImportMnemonic(mnemonic, Optional.empty());
    }

    public ImportMnemonic withLabel(String label) {
        return new ImportMnemonic(mnemonic, Optional.of(label));
    }

    @Override
    public String method() {
        return "import_mnemonic";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("mnemonic", mnemonic);
        label.ifPresent(value -> params.put("label", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "ImportMnemonic[not shown]";
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
