package org.chainwalletd.spend;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.TokenBinding;

/** From a transfer as it was asked for to a plan. */
final class TransferPlans {
    private static final String KIND = "transfer";

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
                KIND,
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
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, KIND.getBytes(StandardCharsets.US_ASCII));
        put(out, request.from().toArray());
        putNumber(out, request.payments().size());
        for (Payment payment : request.payments()) {
            put(out, payment.to().toArray());
            putNumber(out, payment.amount().bits());
        }
        if (request.fee() instanceof FeeChoice.Fixed fixed) {
            put(out, "fee".getBytes(StandardCharsets.US_ASCII));
            putNumber(out, fixed.fee().bits());
        } else {
            put(out, "rate".getBytes(StandardCharsets.US_ASCII));
            putNumber(out, ((FeeChoice.Rate) request.fee()).rate());
        }
        putNumber(out, request.maxFee().bits());
        putNumber(out, request.datum().isPresent() ? 1 : 0);
        request.datum().ifPresent(datum -> put(out, datum.toArray()));
        return Hash256.sha256(out.toByteArray());
    }

    private static void put(ByteArrayOutputStream out, byte[] bytes) {
        putNumber(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void putNumber(ByteArrayOutputStream out, long number) {
        out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }
}
