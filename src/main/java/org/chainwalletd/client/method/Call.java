package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;

/**
 * A method with its parameters.
 *
 * @param <R> what it answers
 */
public interface Call<R> {
    /** Name on the wire. */
    String method();

    /** By name, as on the wire; without those that are left out. */
    Map<String, Object> params();

    /**
     * @throws IllegalArgumentException when {@code result} is no result of this method
     */
    R read(JsonNode result);

    /** How long the daemon itself may wait before it answers, besides the time of an ordinary call. */
    default Duration waits() {
        return Duration.ZERO;
    }
}
