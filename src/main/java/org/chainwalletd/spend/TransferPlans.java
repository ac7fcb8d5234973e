package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.TokenBinding;

/** From a transfer as it was asked for to a plan. */
final class TransferPlans {
    private TransferPlans() {}

    static PaymentPlan plan(TransferRequest request) {
        List<TxOutput> outputs = new ArrayList<>();
        for (Payment payment : request.payments()) {
            TxOutput output = TxOutput.toAddress(payment.to(), payment.amount());
            outputs.add(
                    outputs.isEmpty() && request.datum().isPresent()
                            ? output.withDatum(request.datum().get())
                            : output);
        }
        return new PaymentPlan(
                PaymentPlan.TRANSFER,
                request.from(),
                outputs,
                request.fee(),
                request.maxFee(),
                request.clientToken().map(token -> new TokenBinding(token, digest(request))));
    }

    /**
     * Over what the parameters mean, not how they were written: defaults count as given, hex in any case is the same, the order of the
     * outputs matters.
     */
    private static Hash256 digest(TransferRequest request) {
        ParameterDigest digest = new ParameterDigest(PaymentPlan.TRANSFER)
                .put(request.from().toArray())
                .putNumber(request.payments().size());
        for (Payment payment : request.payments()) {
            digest.put(payment.to().toArray()).putNumber(payment.amount().bits());
        }
        digest.put(request.fee()).putNumber(request.maxFee().bits());
        digest.putNumber(request.datum().isPresent() ? 1 : 0);
        request.datum().ifPresent(datum -> digest.put(datum.toArray()));
        return digest.finish();
    }
}
