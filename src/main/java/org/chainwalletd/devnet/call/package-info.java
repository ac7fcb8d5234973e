/**
 * The development node's JSON-RPC: envelope, parameters, quotas and every method of a node with its exact texts (chain protocol, sections
 * 10.2 to 10.4), and the methods that only a development node has. Turns calls into questions to the ledger; called by {@code devnet} only.
 */
package org.chainwalletd.devnet.call;
