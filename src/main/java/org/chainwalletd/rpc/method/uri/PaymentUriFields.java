package org.chainwalletd.rpc.method.uri;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.uri.PaymentUri;
import org.chainwalletd.wire.Doc;

/** What a payment URI says, as parameters of the one method and as the result of the other. */
record PaymentUriFields(
        Address address,
        @Doc("base units") Optional<Amount> amount,
        Optional<String> memo,

        @Doc("asks for an HTLC") Optional<Hash256> hashLock,

        @Doc("block height; only together with hash_lock") OptionalLong timeout,

        Optional<String> label) {
    static PaymentUriFields of(PaymentUri uri) {
        return new PaymentUriFields(
                uri.address(), uri.amount(), uri.memo(), uri.hashLock(), uri.timeout(), uri.label());
    }

    /**
     * @throws org.chainwalletd.uri.PaymentUriException when they do not go together
     */
    PaymentUri uri() {
        return new PaymentUri(address, amount, memo, hashLock, timeout, label);
    }
}
