package org.chainwalletd.net;

import java.time.Duration;

/**
 * Limits of one exchange.
 *
 * @param answerBytes maximum length of the answer body
 * @param deadline from the first step, connecting included, to the last byte of the answer
 * @param budget shared budget of answers; the first {@value WholeBody#FREE_BYTES} bytes of each do not count, so that long answers cannot block
 *     short ones
 */
public record ExchangeLimits(int answerBytes, Duration deadline, ByteBudget budget) {}
