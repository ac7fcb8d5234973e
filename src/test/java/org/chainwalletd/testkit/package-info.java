/**
 * Helpers shared by tests of several packages: nodes, chains and pools under a test's control, the daemon in the test's process or in a process of
 * its own, golden vectors, seeded randomness.
 *
 * <p>Test scope only; any test may call them.
 */
package org.chainwalletd.testkit;
