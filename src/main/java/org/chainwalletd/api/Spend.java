package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.wire.AmountOrMax;

/**
 * A method that moves money and takes a {@code client_token}: called again with the same token and parameters it settles the payment that was
 * begun and never begins a second one.
 *
 * @param <R> record of the result
 */
public interface Spend<R> extends Call<R> {
    Optional<String> clientToken();

    /** Who pays whom, for the audit line. */
    default Optional<Payees> payees() {
        return Optional.empty();
    }

    /**
     * @param from whose coins are spent
     * @param to recipients as they were asked for, not checked yet; none when the money stays with {@code from}
     */
    record Payees(Address from, List<Recipient> to) {}

    /** @param to address or public key */
    record Recipient(String to, AmountOrMax amount) {}
}
