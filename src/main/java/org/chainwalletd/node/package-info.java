/**
 * Calls to nodes: typed calls over JSON-RPC with rotation, failover, retries, quotas and caps, and the check that a
 * node is of our chain. Everything that comes from here is untrusted data of the right shape, no more.
 */
package org.chainwalletd.node;
