package org.chainwalletd.swap;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.chainwalletd.account.OpenSwaps;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;

/**
 * The swaps that still need something, as of their last durable change: for those who must know at once what is open, and whose keys. Safe
 * for threads. Of one swap, changes come one after the other.
 */
public final class SwapBook implements OpenSwaps {
    private record Entry(SwapStatus status, Address address, EvmAddress evm, boolean needsGas) {}

    private final Map<String, Entry> open = new ConcurrentHashMap<>();

    private static boolean needsGas(SwapRow row) {
        boolean ownInContract = !row.terms().direction().isSell() && row.ownLock() instanceof OwnLock.Locked;
        return row.status().holdsMoney() || ownInContract;
    }

    /** Answers how it stood before, when it was open then. */
    Optional<SwapStatus> enter(SwapRow row) {
        SwapTerms.Ours ours = row.terms().ours();
        // One that is completed may still need its keys: for our own lock, which nobody may ever claim.
        Entry before = row.isSettled()
                ? open.remove(row.id())
                : open.put(row.id(), new Entry(row.status(), ours.address(), ours.evm(), needsGas(row)));
        return Optional.ofNullable(before).map(Entry::status);
    }

    @Override
    public int needingGas(EvmAddress address) {
        return count(entry -> entry.needsGas() && entry.evm().equals(address));
    }

    /** How many are at this point. */
    public int count(SwapStatus status) {
        return count(entry -> entry.status() == status);
    }

    private int count(Predicate<Entry> which) {
        return (int) open.values().stream().filter(which).count();
    }

    /** The id of a swap that needs the key of this address. */
    public Optional<String> needing(Address address) {
        return any(entry -> entry.address().equals(address));
    }

    /** The id of a swap that needs the account-chain key of this address. */
    public Optional<String> needing(EvmAddress address) {
        return any(entry -> entry.evm().equals(address));
    }

    private Optional<String> any(Predicate<Entry> which) {
        return open.entrySet().stream()
                .filter(entry -> which.test(entry.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
