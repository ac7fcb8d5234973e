/**
 * Account chain in the test's process, with JSON-RPC over real sockets: the other side of a swap.
 *
 * <p>{@link org.chainwalletd.testkit.evm.EvmDevnet} is the chain: blocks are mined on demand, time is a clock that the test moves, finality is set
 * by depth or explicitly, blocks can be removed. It decodes real transactions of type 2, recovers their senders and runs one contract, the hash
 * time lock of {@code src/test/resources/contract/HashTimeLock.sol}, whose rules are implemented natively here. Each
 * {@link org.chainwalletd.testkit.evm.EvmEndpoint} is one HTTP address of that chain, which can return false data, hang, flood or forget
 * independently, so that a test can combine a dishonest endpoint with honest ones. Answers have the format of {@code anvil} 1.7.1.
 *
 * <p>Not included: a virtual machine (other code cannot be deployed), Merkle tries (the hashes and roots of its blocks are plain commitments to the
 * same content), other transaction types, a peer-to-peer network. Everything is bounded: 5,000 waiting transactions, 1 MiB per request, 100 calls
 * per batch, 10,000 blocks per call of {@code mine}.
 */
package org.chainwalletd.testkit.evm;
