package org.chainwalletd.wait;

import java.util.Optional;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;

/**
 * How a wait for a payment after a cursor ended.
 *
 * @param cursor behind what was told: the next wait begins there
 */
public record PaymentSince(PaymentOutcome outcome, CreditCursor cursor) {
    static PaymentSince of(CreditFeed.NextPayment next, long waitedMillis) {
        long waited = Math.max(0, waitedMillis) / 1_000;
        PaymentOutcome outcome = next.payment()
                .<PaymentOutcome>map(payment -> new PaymentOutcome.Received(
                        Optional.of(payment.txId()),
                        payment.amount(),
                        payment.height()
                                .map(height -> Math.max(1, next.tipHeight() - height + 1))
                                .orElse(0L),
                        Math.max(0, next.tipHeight()),
                        waited))
                .orElseGet(() -> new PaymentOutcome.TimedOut(waited));
        return new PaymentSince(outcome, next.cursor());
    }
}
