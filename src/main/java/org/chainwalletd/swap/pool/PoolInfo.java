package org.chainwalletd.swap.pool;

import java.math.BigDecimal;
import java.util.Optional;

/** What the pool says of itself; each empty when it says nothing. Shown, and used to judge the pool by its own words. */
public record PoolInfo(
        Optional<BigDecimal> midPrice,
        Optional<Long> feeBps,
        Optional<Long> maxSwapBps,
        Optional<BigDecimal> chainReserve,
        Optional<BigDecimal> nativeReserve,
        Optional<String> htlcContract) {}
