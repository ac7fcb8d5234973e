/**
 * A validating development node that lives inside the process: the same JSON-RPC and push stream as a real node, a chain of its own, and
 * calls to mine, to fund, to reorganise and to misbehave. For {@code --devnet}, the demonstration and every test that needs a chain;
 * {@code boot} and tests start it through {@link org.chainwalletd.devnet.Devnet}.
 */
package org.chainwalletd.devnet;
