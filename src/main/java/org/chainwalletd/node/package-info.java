/**
 * Calls to nodes: typed calls over JSON-RPC with rotation, failover, retries, quotas and limits, and the check that a node is of our chain. Data
 * returned from here has the right shape but is otherwise untrusted.
 */
package org.chainwalletd.node;
