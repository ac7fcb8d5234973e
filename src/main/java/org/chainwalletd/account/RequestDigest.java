package org.chainwalletd.account;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.chain.Hash256;

/**
 * What a reference stands for: a hash over what is asked for. The address that pays is left out: a token keeps its meaning when the key is
 * replaced, and never pays twice. These bytes are in the store: their order never changes.
 */
final class RequestDigest {
    private RequestDigest() {}

    static Hash256 of(SendRequest request) {
        String gas = request.gas() instanceof SendRequest.Gas.Fixed fixed ? Long.toString(fixed.limit()) : "estimated";
        String value = request.value() instanceof SendRequest.SendValue.Exactly exactly
                ? exactly.wei().toString()
                : "all";
        return Hash256.sha256(String.join(
                        "\n",
                        request.kind().word(),
                        Quantities.text(request.to()),
                        value,
                        request.data().hex(),
                        gas,
                        request.feeCeiling().map(BigInteger::toString).orElse(""),
                        request.pushing().name(),
                        request.owner().orElse(""))
                .getBytes(StandardCharsets.US_ASCII));
    }
}
