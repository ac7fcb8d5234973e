package org.chainwalletd.spend.plan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.TokenBinding;

/**
 * Transfer as requested by the caller, with the form of its parameters already checked (interface.md, section 4.7).
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

    /** @throws IllegalArgumentException when there are several payments and one has no amount */
    public TransferRequest {
        payments = List.copyOf(payments);
        if (payments.size() > 1
                && payments.stream().anyMatch(payment -> payment.amount().isEmpty())) {
            throw new IllegalArgumentException("the maximum amount is allowed only for a single recipient");
        }
    }

    public SpendPlan plan() {
        Optional<TokenBinding> binding = clientToken().map(token -> new TokenBinding(token, digest()));
        if (isForAll()) {
            return new MaxPlan(from(), payments().get(0).to(), datum(), fee(), maxFee(), binding);
        }
        List<TxOutput> outputs = new ArrayList<>();
        for (Payment payment : payments()) {
            TxOutput output = TxOutput.toAddress(payment.to(), payment.amount().orElseThrow());
            outputs.add(outputs.isEmpty() && datum().isPresent() ? output.withDatum(datum().get()) : output);
        }
        return new PaymentPlan(PaymentPlan.TRANSFER, from(), outputs, fee(), maxFee(), binding);
    }

    private boolean isForAll() {
        return payments().stream().anyMatch(payment -> payment.amount().isEmpty());
    }

    /**
     * Digest of the meaning of the parameters, independent of their notation: omitted parameters equal their defaults, hex case is ignored,
     * the order of the outputs counts.
     */
    private Hash256 digest() {
        ParameterDigest parameters = new ParameterDigest(PaymentPlan.TRANSFER)
                .put(from().toArray())
                .putNumber(payments().size());
        for (Payment payment : payments()) {
            parameters.put(payment.to().toArray());
            payment.amount()
                    .ifPresentOrElse(
                            amount -> parameters.putNumber(amount.bits()),
                            () -> parameters.put("max".getBytes(StandardCharsets.US_ASCII)));
        }
        parameters.put(fee()).putNumber(maxFee().bits());
        parameters.putNumber(datum().isPresent() ? 1 : 0);
        datum().ifPresent(datum -> parameters.put(datum.toArray()));
        return parameters.finish();
    }
}
