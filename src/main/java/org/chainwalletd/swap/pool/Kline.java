package org.chainwalletd.swap.pool;

import java.math.BigDecimal;

/** @param time Unix seconds at which it begins */
public record Kline(long time, BigDecimal open, BigDecimal high, BigDecimal low, BigDecimal close) {}
