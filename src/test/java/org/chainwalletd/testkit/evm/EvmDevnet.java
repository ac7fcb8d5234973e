package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.ManualClock;

/**
 * An account chain that does nothing by itself: chain id 31337, blocks by hand, the hash time lock deployed in block 1 where a fresh
 * {@code anvil} has the first contract of its first account. {@code safe} is one block and {@code finalized} two blocks behind the tip, as
 * with {@code anvil --slots-in-an-epoch 1}, until a test says otherwise. The base fee is 1 gwei until a test changes it.
 */
public final class EvmDevnet extends EvmLedger implements AutoCloseable {
    public static final long CHAIN_ID = 31_337;
    private static final BigInteger RICH = BigInteger.TEN.pow(22);

    private final ManualClock clock;
    private final EvmDevAccounts accounts = new EvmDevAccounts();
    private final List<EvmEndpoint> endpoints = new ArrayList<>();
    private final EvmAddress contract;

    private EvmDevnet(ManualClock clock) {
        super(BigInteger.valueOf(CHAIN_ID), clock, genesis());
        this.clock = clock;
        contract = deploy();
        newEndpoint();
    }

    private static World genesis() {
        World genesis = new World();
        new EvmDevAccounts().addresses().forEach(address -> genesis.balance(address, RICH));
        return genesis;
    }

    /** A chain with a clock of its own that stands at 2027-01-15T08:00:00Z. */
    public static EvmDevnet start() {
        return start(new ManualClock(Instant.parse("2027-01-15T08:00:00Z")));
    }

    /** A chain whose blocks get the time of {@code clock} when they are mined. */
    public static EvmDevnet start(ManualClock clock) {
        return new EvmDevnet(clock);
    }

    /** Puts another copy of the contract there, at an address of its own, in a block of its own. */
    public EvmAddress deploy() {
        EvmWallet deployer = account(0);
        long nonce = nextNonce(deployer.address());
        BigInteger gwei = BigInteger.valueOf(1_000_000_000);
        BigInteger most = baseFee().add(gwei);
        deployer.send(nonce, gwei, most, 1_000_000, Optional.empty(), BigInteger.ZERO, TimeLock.INIT_CODE);
        mine();
        return EvmExecution.contractAddress(deployer.address(), nonce);
    }

    /** Where the hash time lock is. */
    public EvmAddress contract() {
        return contract;
    }

    /** Keccak-256 of the code at {@link #contract}. */
    public Hash256 codeHash() {
        return Hash256.of(Keccak256.of(TimeLock.RUNTIME.toArray()));
    }

    public ManualClock clock() {
        return clock;
    }

    /** The first endpoint. */
    public EvmEndpoint endpoint() {
        return endpoints.get(0);
    }

    /** Of the first endpoint. */
    public URI uri() {
        return endpoint().uri();
    }

    /** One more address at which the same chain answers. */
    public EvmEndpoint newEndpoint() {
        EvmEndpoint endpoint = new EvmEndpoint(new EvmRpc(this, accounts));
        endpoints.add(endpoint);
        return endpoint;
    }

    /** One of the ten rich accounts; 0 deployed the contract. */
    public EvmWallet account(int index) {
        return wallet(accounts.key(index));
    }

    /** Somebody with this key; it is not taken over. */
    public EvmWallet wallet(SecretBytes secret) {
        return new EvmWallet(this, contract, secret.duplicate());
    }

    /** Mines a block without these transactions, which go on waiting. */
    public EvmBlock mineWithout(Hash256... left) {
        Set<Hash256> without = Set.of(left);
        return mineOnly(tx -> !without.contains(tx.hash()));
    }

    /** Mines a block without any transaction. */
    public EvmBlock mineEmpty() {
        return mineOnly(tx -> false);
    }

    /** Moves the clock, then mines a block at the new time. */
    public EvmBlock mineAfter(Duration passed) {
        clock.advance(passed);
        return mine();
    }

    /** The last {@code depth} blocks are replaced by {@code blocks} others; the first of them takes in all that the old ones held. */
    public void reorganise(int depth, int blocks) {
        reorganise(depth, blocks, tx -> true, tx -> true);
    }

    /** As before, but nothing is mined again yet: all that the old blocks held waits. */
    public void reorganiseAway(int depth, int blocks) {
        reorganise(depth, blocks, tx -> true, tx -> false);
    }

    /** As before, and the chain has forgotten these transactions. */
    public void reorganiseWithout(int depth, int blocks, Hash256... forgotten) {
        Set<Hash256> gone = Set.of(forgotten);
        gone.forEach(this::forget);
        reorganise(depth, blocks, tx -> !gone.contains(tx.hash()), tx -> true);
    }

    public BigInteger balance(EvmAddress address) {
        return head().world().balance(address);
    }

    public long nonce(EvmAddress address) {
        return head().world().nonce(address);
    }

    /** What the chain's contract holds under a hash lock at the tip. */
    public SwapContract.Swap swap(Hash256 hashLock) {
        return swap(contract, hashLock);
    }

    /** What it held at the newest finalized block. */
    public SwapContract.Swap finalizedSwap(Hash256 hashLock) {
        return finalized().world().swap(contract, hashLock);
    }

    public SwapContract.Swap swap(EvmAddress at, Hash256 hashLock) {
        return head().world().swap(at, hashLock);
    }

    /** Of a transaction in the chain. */
    public Optional<EvmReceipt> receipt(Hash256 hash) {
        return including(hash, Long.MAX_VALUE).flatMap(block -> EvmJson.receiptOf(block, hash));
    }

    /** Everything that all accounts have at the tip; shrinks by the gas that is paid and grows by {@link #fund}. */
    public BigInteger total() {
        return head().world().total();
    }

    @Override
    public void close() {
        endpoints.forEach(EvmEndpoint::close);
    }
}
