/**
 * The chain's protocol: profile, hashing, addresses, amounts, transaction codec, HTLC scripts, fees, blocks.
 *
 * <p>Pure functions and immutable values: no actor, no I/O, no clock. Everyone may call it; it calls nobody.
 */
package org.chainwalletd.chain;
