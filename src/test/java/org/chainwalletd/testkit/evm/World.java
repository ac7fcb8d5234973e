package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** State of all accounts at one block. Changed only while the block is built. */
final class World {
    /** Hash lock of a contract. */
    record Slot(EvmAddress contract, Hash256 hashLock) {}

    static final SwapContract.Swap UNUSED = new SwapContract.Swap(
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            BigInteger.ZERO,
            0,
            SwapContract.State.NONE);

    private final Map<EvmAddress, BigInteger> balances = new HashMap<>();
    private final Map<EvmAddress, Long> nonces = new HashMap<>();
    private final Map<EvmAddress, Bytes> code = new HashMap<>();
    private final Map<Slot, SwapContract.Swap> swaps = new HashMap<>();
    /** Computed at the first request, which follows the last change. */
    private Hash256 root;

    World copy() {
        World copy = new World();
        copy.balances.putAll(balances);
        copy.nonces.putAll(nonces);
        copy.code.putAll(code);
        copy.swaps.putAll(swaps);
        return copy;
    }

    BigInteger balance(EvmAddress address) {
        return balances.getOrDefault(address, BigInteger.ZERO);
    }

    long nonce(EvmAddress address) {
        return nonces.getOrDefault(address, 0L);
    }

    Bytes code(EvmAddress address) {
        return code.getOrDefault(address, Bytes.EMPTY);
    }

    SwapContract.Swap swap(EvmAddress contract, Hash256 hashLock) {
        return swaps.getOrDefault(new Slot(contract, hashLock), UNUSED);
    }

    /** Whether the state contains the address; a payment to an unknown address costs more gas. */
    boolean knows(EvmAddress address) {
        return balances.containsKey(address) || nonces.containsKey(address) || code.containsKey(address);
    }

    void balance(EvmAddress address, BigInteger wei) {
        balances.put(address, wei);
    }

    void nonce(EvmAddress address, long nonce) {
        nonces.put(address, nonce);
    }

    void code(EvmAddress address, Bytes runtime) {
        code.put(address, runtime);
    }

    void swap(EvmAddress contract, Hash256 hashLock, SwapContract.Swap swap) {
        swaps.put(new Slot(contract, hashLock), swap);
    }

    void move(EvmAddress from, EvmAddress to, BigInteger wei) {
        take(from, wei);
        if (wei.signum() != 0) {
            balance(to, balance(to).add(wei));
        }
    }

    void take(EvmAddress from, BigInteger wei) {
        if (balance(from).compareTo(wei) < 0) {
            throw new IllegalStateException(from + " has less than " + wei);
        }
        if (wei.signum() != 0) {
            balance(from, balance(from).subtract(wei));
        }
    }

    /** Returns the sum of all balances. */
    BigInteger total() {
        return balances.values().stream().reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Returns a commitment to the whole content, which is not a Merkle root. */
    synchronized Hash256 root() {
        if (root == null) {
            root = commitment();
        }
        return root;
    }

    private Hash256 commitment() {
        Map<String, Object> sorted = new TreeMap<>();
        balances.forEach((address, wei) -> sorted.put("b" + address, wei));
        nonces.forEach((address, nonce) -> sorted.put("n" + address, nonce));
        code.forEach((address, runtime) -> sorted.put("c" + address, runtime.hashCode()));
        swaps.forEach((slot, swap) ->
                sorted.put("s" + slot.contract() + slot.hashLock().hex(), swap));
        return Hash256.of(Keccak256.of(sorted.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
