package org.chainwalletd.spend;

import java.math.BigInteger;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;

/**
 * The operator's limits and how much of them is left.
 *
 * @param perTransaction empty: no limit
 * @param perPeriod empty: no limit
 * @param spent within the last {@code periodSeconds}
 * @param remaining empty without a limit per period
 */
public record AllowanceStatus(
        Optional<Amount> perTransaction,
        Optional<Amount> perPeriod,
        long periodSeconds,
        Amount spent,
        Optional<Amount> remaining) {
    static AllowanceStatus withoutLimits(AllowanceStore.Spent spent, Allowance.Limits limits) {
        BigInteger sum = Stream.concat(
                        spent.minutes().stream().map(AllowanceStore.Minute::amount),
                        spent.open().stream().map(use -> use.amount().toBigInteger()))
                .reduce(BigInteger.ZERO, BigInteger::add);
        return new AllowanceStatus(
                Optional.empty(),
                Optional.empty(),
                limits.period().toSeconds(),
                Allowance.saturated(sum),
                Optional.empty());
    }
}
