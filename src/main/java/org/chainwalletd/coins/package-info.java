/**
 * What own coins are worth, believed only from the bytes of transactions whose ids are computed here. Whoever spends, books or waits asks
 * {@link org.chainwalletd.coins.VerifiedOutputs}; who decodes transactions anyway plugs in an {@link org.chainwalletd.coins.OutputSource}.
 */
package org.chainwalletd.coins;
