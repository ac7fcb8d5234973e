package org.chainwalletd.spend;

import java.util.Optional;
import org.chainwalletd.chain.Amount;

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
        Optional<Amount> remaining) {}
