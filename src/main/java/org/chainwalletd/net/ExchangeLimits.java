package org.chainwalletd.net;

import java.time.Duration;

/**
 * Limits on the cost of one exchange.
 *
 * @param answerBytes longest answer body that is read
 * @param deadline from the first step, connecting included, to the last byte of the answer
 * @param budget what answers hold together; the first {@value WholeBody#FREE_BYTES} bytes of each are free, so that no long answer can keep
 *     a short one out
 */
public record ExchangeLimits(int answerBytes, Duration deadline, ByteBudget budget) {}
