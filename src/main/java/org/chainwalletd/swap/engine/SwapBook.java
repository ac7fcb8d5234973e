package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.chainwalletd.account.OpenSwaps;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Swaps that still need work, as of their last durable change, for components that need to know synchronously which swaps are open and which keys
 * they use. Thread-safe. Changes of one swap are entered in order.
 */
public final class SwapBook implements OpenSwaps, HtlcOwners {
    private static final long HOLDS_MONEY = 0;

    /** Whether a swap has an unsent claim in the contract. */
    private enum Claim {
        NONE,
        /** The secret may be revealed after any observation. */
        POSSIBLE,
        CERTAIN;

        private static Claim of(SwapRow row) {
            boolean isOpen = row.terms().direction().isSell()
                    && row.poolLock() instanceof PoolLock.Locked
                    && row.acts().claimTx().isEmpty()
                    && row.status().holdsMoney();
            if (!isOpen) {
                return NONE;
            }
            return row.acts().claimPermitted() || row.acts().claimJournalled() ? CERTAIN : POSSIBLE;
        }
    }

    /** @param lock wei that the swap's lock takes from the account; zero in a sell */
    private record Entry(
            SwapStatus status,
            Hash256 hashLock,
            Address address,
            EvmAddress evm,
            boolean needsGas,
            BigInteger lock,
            Claim claim) {
        private static Entry of(SwapRow row) {
            SwapTerms terms = row.terms();
            return new Entry(
                    row.status(),
                    terms.hashLock(),
                    terms.ours().address(),
                    terms.ours().evm(),
                    SwapBook.needsGas(row),
                    terms.direction().isSell() ? BigInteger.ZERO : terms.given().units(),
                    Claim.of(row));
        }

        /** Orders claims for gas; two claims that are both only possible are ordered by swap id. */
        private boolean claimsBefore(String id, String swap) {
            return claim == Claim.CERTAIN && !id.equals(swap) || claim == Claim.POSSIBLE && id.compareTo(swap) < 0;
        }
    }

    /** Party that redeems the locks of the swaps in this book. */
    private enum Redeemer {
        /** The journal has not been read: any lock may belong to a swap. */
        UNKNOWN,
        ENGINE,
        /** No engine runs, so locks are left to the operator. */
        OPERATOR
    }

    private final Map<String, Entry> open = new ConcurrentHashMap<>();
    /** Swaps entered while the journal is being read; the rows read for them may be older. */
    private final Set<String> changed = new HashSet<>();

    private boolean isReading;
    /** Sequence numbers of the swaps whose lock is being decided on, in order of arrival. */
    private final Map<String, Long> turns = new ConcurrentHashMap<>();

    /** Quotes being requested from the pool or written, and not in this book yet. */
    private int pendingQuotes;

    private final AtomicLong newestTurn = new AtomicLong(HOLDS_MONEY);
    private volatile Redeemer redeemer = Redeemer.UNKNOWN;
    /** Whether another daemon may have changed the journal since it was read. */
    private volatile boolean outdated;

    /** Leaves the locks to the engine; from now on this book has all open swaps. */
    public void leaveToEngine() {
        redeemer = Redeemer.ENGINE;
    }

    /** Leaves the locks to the operator, because no engine runs in this process. */
    public void leaveToOperator() {
        redeemer = Redeemer.OPERATOR;
    }

    /**
     * Marks the book as outdated, because another daemon may change the journal from now on; it does not count until the journal has been read
     * again.
     */
    public void outdate() {
        outdated = true;
    }

    /** Prepares for {@link #read}; no lock is being decided on. */
    public synchronized void reading() {
        isReading = true;
        changed.clear();
        turns.clear();
    }

    /**
     * Replaces the content by that of the journal. Changes entered since {@link #reading} are newer and are kept.
     *
     * @param watched all watched swaps
     */
    public synchronized void read(List<SwapRow> watched) {
        Set<String> ids = watched.stream().map(SwapRow::id).collect(Collectors.toSet());
        open.keySet().removeIf(id -> !ids.contains(id) && !changed.contains(id));
        watched.stream().filter(row -> !changed.contains(row.id())).forEach(this::put);
        changed.clear();
        isReading = false;
        outdated = false;
    }

    @Override
    public boolean isKnown() {
        return !outdated;
    }

    private static boolean needsGas(SwapRow row) {
        boolean ownInContract = !row.terms().direction().isSell() && row.ownLock() instanceof OwnLock.Locked;
        return row.status().holdsMoney() || ownInContract;
    }

    /** Returns the previous status of the swap; empty if it was not in this book. */
    public synchronized Optional<SwapStatus> enter(SwapRow row) {
        if (isReading) {
            changed.add(row.id());
        }
        return Optional.ofNullable(put(row)).map(Entry::status);
    }

    /** Returns the previous entry; null if there was none. */
    private Entry put(SwapRow row) {
        // A completed swap may still need its keys for our own lock, which may never be claimed.
        return row.isSettled() ? open.remove(row.id()) : open.put(row.id(), Entry.of(row));
    }

    /** Reserves gas for a swap, ahead of swaps executed later, so that two swaps executed at once cannot both count on the last of it. */
    public void executing(SwapRow row) {
        turns.computeIfAbsent(row.id(), any -> newestTurn.incrementAndGet());
    }

    /** Ends the reservation of {@link #executing}: the lock was refused, or the row accounts for it from now on. */
    public void executed(SwapRow row) {
        turns.remove(row.id());
    }

    @Override
    public int needingGas(EvmAddress address) {
        return (int) open.entrySet().stream()
                .filter(swap -> swap.getValue().evm().equals(address))
                .filter(swap -> swap.getValue().needsGas() || turns.containsKey(swap.getKey()))
                .count();
    }

    @Override
    public Ahead ahead(EvmAddress address, String swap) {
        int swaps = 0;
        int claims = 0;
        BigInteger locks = BigInteger.ZERO;
        long own = turnOf(swap, open.get(swap));
        for (Map.Entry<String, Entry> other : open.entrySet()) {
            Entry entry = other.getValue();
            if (!entry.evm().equals(address)) {
                continue;
            }
            Long turn = turns.get(other.getKey());
            boolean isEarlier = turn != null && turn < own && !other.getKey().equals(swap);
            swaps += entry.needsGas() || isEarlier ? 1 : 0;
            locks = isEarlier ? locks.add(entry.lock()) : locks;
            claims += entry.claimsBefore(other.getKey(), swap) ? 1 : 0;
        }
        return new Ahead(swaps, locks, claims);
    }

    private long turnOf(String swap, Entry entry) {
        return entry != null && entry.needsGas() ? HOLDS_MONEY : turns.getOrDefault(swap, Long.MAX_VALUE);
    }

    /**
     * Returns the redeemer of a lock. A swap pays a higher fee for redeeming its locks than other spends and must not be delayed by a spend with a
     * lower one.
     */
    @Override
    public Optional<String> of(Hash256 hashLock) {
        return switch (redeemer == Redeemer.ENGINE && outdated ? Redeemer.UNKNOWN : redeemer) {
            case OPERATOR -> Optional.empty();
            case UNKNOWN -> Optional.of("a swap, perhaps: the journal of swaps has not been read yet");
            case ENGINE ->
                any(entry -> entry.hashLock().equals(hashLock))
                        .map(
                                id -> "the swap " + id
                                        + " with the fee of swaps: swap_refund takes its lock back, swap_status tells where it is");
        };
    }

    /** Reserves a place among the open quotes for a pending one; false when all are taken. Released by {@link #releaseQuote}. */
    synchronized boolean reserveQuote(int most) {
        if (count(SwapStatus.QUOTED) + pendingQuotes >= most) {
            return false;
        }
        pendingQuotes++;
        return true;
    }

    /** Releases the place of a pending quote, which is in this book by now or was rejected. */
    synchronized void releaseQuote() {
        pendingQuotes--;
    }

    public int count(SwapStatus status) {
        return count(entry -> entry.status() == status);
    }

    private int count(Predicate<Entry> which) {
        return (int) open.values().stream().filter(which).count();
    }

    /** Returns the id of a swap that needs the key of this address. */
    public Optional<String> needing(Address address) {
        return any(entry -> entry.address().equals(address));
    }

    /** Returns the id of a swap that needs the account-chain key of this address. */
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
