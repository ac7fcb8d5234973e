/**
 * An account chain inside the test's process, with JSON-RPC over real sockets: the other side of a swap.
 *
 * <p>{@link org.chainwalletd.testkit.evm.EvmDevnet} is the chain: blocks are mined by hand, time is a clock that the test moves, finality is
 * set by depth or by hand, blocks can be taken back. It decodes real transactions of type 2, recovers their senders and runs one contract,
 * the hash time lock of {@code src/test/resources/contract/HashTimeLock.sol}, whose rules are written natively here. Each
 * {@link org.chainwalletd.testkit.evm.EvmEndpoint} is one HTTP address over that chain, which may lie, hang, flood or forget on its own, so
 * that a test can put a liar beside an honest one. Answers have the shapes of {@code anvil} 1.7.1.
 *
 * <p>What it is not: no virtual machine (other code cannot be deployed), no Merkle tries (the hashes and roots of its blocks are plain
 * commitments to the same content), no other transaction types, no peer-to-peer network. Everything is
 * bounded: 5,000 waiting transactions, 1 MiB per request, 100 calls per batch, 10,000 blocks per call of {@code mine}.
 */
package org.chainwalletd.testkit.evm;
