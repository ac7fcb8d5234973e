package org.chainwalletd.api;

import java.time.Duration;

/**
 * A method with its parameters, as the Java client calls it and as the server binds it. Implemented by records that carry {@link Method}.
 *
 * @param <R> record of the result
 */
public interface Call<R> {
    /** Time for which the daemon itself may wait before it answers, besides that of an ordinary call. */
    default Duration waits() {
        return Duration.ZERO;
    }
}
