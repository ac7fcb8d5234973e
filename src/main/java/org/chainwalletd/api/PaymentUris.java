package org.chainwalletd.api;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Inline;

/** Payment requests as URIs (interface.md, section 4.12). */
public final class PaymentUris {
    private PaymentUris() {}

    /** Content of a payment URI. */
    public record PaymentRequest(
            Address address,
            @Doc("base units") Optional<Amount> amount,
            Optional<String> memo,

            @Doc("asks for an HTLC") Optional<Hash256> hashLock,

            @Doc("block height; only together with hash_lock")
            OptionalLong timeout,

            Optional<String> label) {
        public static PaymentRequest of(Address address) {
            return new PaymentRequest(
                    address,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    Optional.empty());
        }

        public PaymentRequest withAmount(Amount changed) {
            return new PaymentRequest(address, Optional.of(changed), memo, hashLock, timeout, label);
        }

        public PaymentRequest withMemo(String changed) {
            return new PaymentRequest(address, amount, Optional.of(changed), hashLock, timeout, label);
        }

        public PaymentRequest withHashLock(Hash256 changed) {
            return new PaymentRequest(address, amount, memo, Optional.of(changed), timeout, label);
        }

        public PaymentRequest withTimeout(long changed) {
            return new PaymentRequest(address, amount, memo, hashLock, OptionalLong.of(changed), label);
        }

        public PaymentRequest withLabel(String changed) {
            return new PaymentRequest(address, amount, memo, hashLock, timeout, Optional.of(changed));
        }
    }

    @Method(
            name = "payment_uri_encode",
            scope = Scope.READ,
            summary =
                    "Writes a request for a payment as a URI, fields in their canonical order, texts percent-encoded; asks nobody.")
    public record PaymentUriEncode(@Inline PaymentRequest request) implements Call<PaymentUriEncode.Result> {
        public record Result(String uri) {}
    }

    @Method(
            name = "payment_uri_decode",
            scope = Scope.READ,
            summary = "Reads a payment URI; unknown fields are dropped, hex comes back in lower case; asks nobody.")
    public record PaymentUriDecode(
            @Doc(
                    "at most 65536 characters; the scheme in either case, a known field at most once, a plus sign stands for itself")
            String uri)
            implements Call<PaymentRequest> {}
}
