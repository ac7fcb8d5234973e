package org.chainwalletd.api;

import java.util.Optional;

/**
 * Method that moves money and accepts a {@code client_token}. Repeated with the same token and parameters, it settles the existing payment
 * and never starts a second one.
 *
 * @param <R> record of the result
 */
public interface Spend<R> extends Call<R>, Audited {
    @Override
    Optional<String> idempotencyToken();
}
