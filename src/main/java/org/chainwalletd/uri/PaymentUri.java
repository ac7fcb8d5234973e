package org.chainwalletd.uri;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * What a payment URI says.
 *
 * @param memo for the payee, any text
 * @param hashLock asks for an HTLC instead of a plain payment
 * @param timeout of the HTLC, block height, u64; only together with a hash lock
 * @param label of the payee, for the payer's eyes, any text
 */
public record PaymentUri(
        Address address,
        Optional<Amount> amount,
        Optional<String> memo,
        Optional<Hash256> hashLock,
        OptionalLong timeout,
        Optional<String> label) {
    /**
     * @throws RefusedException for a timeout without a hash lock: there is nothing that could time out
     */
    public PaymentUri {
        if (timeout.isPresent() && hashLock.isEmpty()) {
            throw RefusedException.invalidParams("timeout has a meaning only together with hash_lock");
        }
    }
}
