package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;

/**
 * A payment as the caller asked for it, with the shapes of its parameters already checked (interface.md, section 4.7).
 *
 * @param payments 1 to 16
 * @param datum carried by the first output
 */
public record TransferRequest(
        Address from,
        List<Payment> payments,
        FeeChoice fee,
        Amount maxFee,
        Optional<String> clientToken,
        Optional<Bytes> datum) {
    public static final int MAX_OUTPUTS = 16;
    public static final Amount DEFAULT_MAX_FEE = Amount.of(2_000_000);

    public TransferRequest {
        payments = List.copyOf(payments);
    }
}
