package org.chainwalletd.client.method;

import java.util.Optional;

/**
 * A method that moves money and takes a {@code client_token}: called again with the same token and parameters it settles what was begun and
 * never begins a second payment.
 *
 * @param <R> what it answers
 */
public interface Spend<R> extends Call<R> {
    Optional<String> clientToken();
}
