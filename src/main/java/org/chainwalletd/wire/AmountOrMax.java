package org.chainwalletd.wire;

import java.util.Objects;
import java.util.Optional;
import org.chainwalletd.chain.Amount;

/** Amount, or the word {@code max}. */
public final class AmountOrMax {
    static final String WORD = "max";

    public static final AmountOrMax MAX = new AmountOrMax(null);

    private final Amount amount;

    private AmountOrMax(Amount amount) {
        this.amount = amount;
    }

    public static AmountOrMax of(Amount amount) {
        return new AmountOrMax(Objects.requireNonNull(amount));
    }

    /** Returns the amount; empty for {@code max}. */
    public Optional<Amount> amount() {
        return Optional.ofNullable(amount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AmountOrMax that && Objects.equals(amount, that.amount);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(amount);
    }

    @Override
    public String toString() {
        return amount == null ? WORD : amount.toString();
    }
}
