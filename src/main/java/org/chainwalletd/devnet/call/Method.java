package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;

/**
 * Method of the node.
 *
 * @param bodyCap longest request body, in bytes
 * @param body from the parameters (JSON null when absent) to the result
 */
public record Method(String name, int bodyCap, Bucket bucket, Function<JsonNode, JsonNode> body) {
    static final int BODY_CAP = 65_536;

    /** Quota that a call counts against (chain protocol, section 10.3). */
    public enum Bucket {
        SCAN,
        SUBMIT,
        NONE
    }

    public static Method free(String name, Function<JsonNode, JsonNode> body) {
        return new Method(name, BODY_CAP, Bucket.NONE, body);
    }

    static Method scan(String name, Function<JsonNode, JsonNode> body) {
        return new Method(name, BODY_CAP, Bucket.SCAN, body);
    }
}
