package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.api.ErrorCode;

/**
 * Parsed request (interface.md, section 4.2).
 *
 * @param id JSON text of the id as the caller wrote it, including {@code "null"}; null for a notification
 * @param method null when {@code refusal} is set
 * @param params an object node, or another node that the binder refuses; null for no parameters
 * @param refusal reason why the envelope is invalid, or null
 * @param secrets secrets inside {@code params}
 */
record Envelope(String id, String method, JsonNode params, String refusal, List<byte[]> secrets) {
    static final String NULL_ID = "null";

    /** Creates an envelope that is answered with -32600, whether or not it has an id. */
    static Envelope refused(String id, String refusal, List<byte[]> secrets) {
        return new Envelope(id == null ? NULL_ID : id, null, null, refusal, secrets);
    }

    boolean isNotification() {
        return id == null;
    }

    /** Overwrites the secrets. Called once the parameters are bound, or when they never will be. */
    void overwriteSecrets() {
        for (byte[] secret : secrets) {
            Arrays.fill(secret, (byte) 0);
        }
    }

    /** Request body as a whole. */
    sealed interface Body {}

    record Single(Envelope envelope) implements Body {}

    /**
     * @param envelopes at least one
     */
    record Batch(List<Envelope> envelopes) implements Body {}

    /**
     * Body that is rejected as a whole, with HTTP status 400 and a null id.
     *
     * @param code parse error or invalid request
     */
    record Refused(ErrorCode code, String message) implements Body {}

    /** Body whose parsed form exceeds the memory budget. */
    record TooHeavy() implements Body {}
}
