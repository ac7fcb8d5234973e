/**
 * The chain's protocol: profile, hashing, addresses, amounts, transaction codec, HTLC scripts, fees, blocks.
 *
 * <p>Pure functions and immutable values: no actor, no I/O, no clock. Any package may use it; it depends on no other.
 */
package org.chainwalletd.chain;
