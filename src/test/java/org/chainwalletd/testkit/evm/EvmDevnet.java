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
 * Account chain that does nothing automatically: chain id 31337, blocks on demand, the hash time lock deployed in block 1 at the address where a
 * new {@code anvil} puts the first contract of its first account. {@code safe} is one block and {@code finalized} two blocks behind the tip, as
 * with {@code anvil --slots-in-an-epoch 1}, until a test changes it. The base fee is 1 gwei until a test changes it.
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

    /** Starts a chain with its own clock, set to 2027-01-15T08:00:00Z. */
    public static EvmDevnet start() {
        return start(new ManualClock(Instant.parse("2027-01-15T08:00:00Z")));
    }

    /** Starts a chain whose blocks get the time of {@code clock} when they are mined. */
    public static EvmDevnet start(ManualClock clock) {
        return new EvmDevnet(clock);
    }

    /** Deploys another copy of the contract, in a separate block, and returns its address. */
    public EvmAddress deploy() {
        EvmWallet deployer = account(0);
        long nonce = nextNonce(deployer.address());
        BigInteger gwei = BigInteger.valueOf(1_000_000_000);
        BigInteger most = baseFee().add(gwei);
        deployer.send(nonce, gwei, most, 1_000_000, Optional.empty(), BigInteger.ZERO, TimeLock.INIT_CODE);
        mine();
        return EvmExecution.contractAddress(deployer.address(), nonce);
    }

    /** Returns the address of the hash time lock. */
    public EvmAddress contract() {
        return contract;
    }

    /** Returns the Keccak-256 of the code at {@link #contract}. */
    public Hash256 codeHash() {
        return Hash256.of(Keccak256.of(TimeLock.RUNTIME.toArray()));
    }

    public ManualClock clock() {
        return clock;
    }

    /** Returns the first endpoint. */
    public EvmEndpoint endpoint() {
        return endpoints.get(0);
    }

    /** Returns the address of the first endpoint. */
    public URI uri() {
        return endpoint().uri();
    }

    /** Starts another endpoint of the same chain. */
    public EvmEndpoint newEndpoint() {
        EvmEndpoint endpoint = new EvmEndpoint(new EvmRpc(this, accounts));
        endpoints.add(endpoint);
        return endpoint;
    }

    /** Returns one of the ten funded accounts; account 0 deployed the contract. */
    public EvmWallet account(int index) {
        return wallet(accounts.key(index));
    }

    /** Creates a wallet with this key, which remains the caller's. */
    public EvmWallet wallet(SecretBytes secret) {
        return new EvmWallet(this, contract, secret.duplicate());
    }

    /** Mines a block without these transactions, which stay in the mempool. */
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

    /** Replaces the last {@code depth} blocks by {@code blocks} others; the first of them contains all transactions of the old ones. */
    public void reorganise(int depth, int blocks) {
        reorganise(depth, blocks, tx -> true, tx -> true);
    }

    /** Does the same, but the transactions of the old blocks stay in the mempool. */
    public void reorganiseAway(int depth, int blocks) {
        reorganise(depth, blocks, tx -> true, tx -> false);
    }

    /** Does the same, but these transactions are dropped. */
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

    /** Returns the contract's state of a hash lock at the tip. */
    public SwapContract.Swap swap(Hash256 hashLock) {
        return swap(contract, hashLock);
    }

    /** Returns the contract's state of a hash lock at the newest finalized block. */
    public SwapContract.Swap finalizedSwap(Hash256 hashLock) {
        return finalized().world().swap(contract, hashLock);
    }

    public SwapContract.Swap swap(EvmAddress at, Hash256 hashLock) {
        return head().world().swap(at, hashLock);
    }

    /** Returns the receipt of a transaction on the chain. */
    public Optional<EvmReceipt> receipt(Hash256 hash) {
        return including(hash, Long.MAX_VALUE).flatMap(block -> EvmJson.receiptOf(block, hash));
    }

    /** Returns the sum of all balances at the tip, which decreases by the gas that is paid and increases by {@link #fund}. */
    public BigInteger total() {
        return head().world().total();
    }

    @Override
    public void close() {
        endpoints.forEach(EvmEndpoint::close);
    }
}
