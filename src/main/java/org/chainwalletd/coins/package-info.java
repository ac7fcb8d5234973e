/**
 * Values of own coins, trusted only from the bytes of transactions whose ids are computed here. Code that spends, books or waits uses
 * {@link org.chainwalletd.coins.VerifiedOutputs}; code that decodes transactions anyway provides an
 * {@link org.chainwalletd.coins.OutputSource}.
 */
package org.chainwalletd.coins;
