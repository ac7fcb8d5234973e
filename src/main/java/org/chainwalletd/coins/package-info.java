/**
 * Values of own coins, believed only from the bytes of transactions whose ids are computed here. Code that spends, books or waits asks {@link
 * org.chainwalletd.coins.VerifiedOutputs}; code that decodes transactions anyway plugs in an {@link org.chainwalletd.coins.OutputSource}.
 */
package org.chainwalletd.coins;
