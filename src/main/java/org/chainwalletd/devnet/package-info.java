/**
 * Validating development node inside this process: the JSON-RPC and push stream of a real node, a separate chain, and calls to mine, fund,
 * reorganise and simulate faults. For {@code --devnet}, the demonstration and every test that needs a chain;
 * {@code boot} and tests start it through {@link org.chainwalletd.devnet.Devnet}.
 */
package org.chainwalletd.devnet;
