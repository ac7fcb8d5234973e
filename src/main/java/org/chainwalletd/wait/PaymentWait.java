package org.chainwalletd.wait;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/** Wait for a payment. Used only by {@link PaymentWaits}. */
final class PaymentWait extends Wait<PaymentOutcome> {
    final Address address;
    final Amount minAmount;
    /** Credits with this number or a later one are new to this wait. */
    long since;
    /** Whether it is known what was pending when the wait began. Until then credits in the mempool do not count. */
    boolean settled;

    PaymentWait(Address address, Amount minAmount, long began, long due) {
        super(began, due);
        this.address = address;
        this.minAmount = minAmount;
    }
}
