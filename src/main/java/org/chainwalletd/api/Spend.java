package org.chainwalletd.api;

import java.util.Optional;

/**
 * A method that moves money and takes a {@code client_token}: called again with the same token and parameters it settles the payment that was
 * begun and never begins a second one.
 *
 * @param <R> record of the result
 */
public interface Spend<R> extends Call<R>, Audited {
    @Override
    Optional<String> idempotencyToken();
}
