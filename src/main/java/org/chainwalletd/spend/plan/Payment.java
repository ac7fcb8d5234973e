package org.chainwalletd.spend.plan;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/**
 * Recipient of a transfer with the amount.
 *
 * @param amount empty: the most that one transaction can move, which only a single recipient can have
 */
public record Payment(Address to, Optional<Amount> amount) {
    public Payment(Address to, Amount amount) {
        this(to, Optional.of(amount));
    }
}
