/**
 * Helpers that tests of several packages share: golden vectors, seeded randomness.
 *
 * <p>Test scope only; any test may call it.
 */
package org.chainwalletd.testkit;
