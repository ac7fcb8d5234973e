package org.chainwalletd.spend.plan;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/**
 * Recipient and amount of a transfer.
 *
 * @param amount empty: the maximum that one transaction can move, allowed only for a single recipient
 */
public record Payment(Address to, Optional<Amount> amount) {
    public Payment(Address to, Amount amount) {
        this(to, Optional.of(amount));
    }
}
