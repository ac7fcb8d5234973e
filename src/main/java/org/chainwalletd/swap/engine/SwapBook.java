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
 * The swaps that still need something, as of their last durable change: for those who must know at once what is open, and whose keys. Safe
 * for threads. Of one swap, changes come one after the other.
 */
public final class SwapBook implements OpenSwaps, HtlcOwners {
    private static final long HOLDS_MONEY = 0;

    /** Whether a swap has a claim in the contract to send, and has not sent it. */
    private enum Claim {
        NONE,
        /** Its secret may leave at any look. */
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

    /** @param lock wei that its lock takes from the account; zero in a sell */
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

        /** Orders two whose secrets may leave at the same look by their ids. */
        private boolean claimsBefore(String id, String swap) {
            return claim == Claim.CERTAIN && !id.equals(swap) || claim == Claim.POSSIBLE && id.compareTo(swap) < 0;
        }
    }

    /** Party that redeems the locks of the swaps in this book. */
    private enum Redeemer {
        /** The journal has not been read: any lock may be one of a swap. */
        NOT_KNOWN_YET,
        ENGINE,
        /** No engine runs, so locks are left to the operator. */
        NOBODY
    }

    private final Map<String, Entry> open = new ConcurrentHashMap<>();
    /** Swaps that were entered while the journal is being read: what was read of them may be older. */
    private final Set<String> changed = new HashSet<>();

    private boolean isBeingRead;
    /** Swaps whose lock is being decided on, by the order in which they came. */
    private final Map<String, Long> turns = new ConcurrentHashMap<>();

    /** Quotes that are asked of the pool, or written, and not in here yet. */
    private int beingTaken;

    private final AtomicLong newestTurn = new AtomicLong(HOLDS_MONEY);
    private volatile Redeemer redeemer = Redeemer.NOT_KNOWN_YET;
    /** Whether another daemon may have changed the journal since it was read. */
    private volatile boolean outdated;

    /** Hands the locks over to the engine; all open swaps are in this book now. */
    public void leaveToEngine() {
        redeemer = Redeemer.ENGINE;
    }

    /** Leaves the locks to the operator, because no engine runs in this process. */
    public void leaveToOperator() {
        redeemer = Redeemer.NOBODY;
    }

    /** Another daemon may change the journal from now on: what is in here does not count before it was read anew. */
    public void outdate() {
        outdated = true;
    }

    /** The journal is going to be read for {@link #read}; no lock is being decided on. */
    public synchronized void reading() {
        isBeingRead = true;
        changed.clear();
        turns.clear();
    }

    /**
     * Takes over what the journal has instead of what is in here. Changes that were entered since {@link #reading} are newer and stay.
     *
     * @param watched all that are looked after
     */
    public synchronized void read(List<SwapRow> watched) {
        Set<String> ids = watched.stream().map(SwapRow::id).collect(Collectors.toSet());
        open.keySet().removeIf(id -> !ids.contains(id) && !changed.contains(id));
        watched.stream().filter(row -> !changed.contains(row.id())).forEach(this::put);
        changed.clear();
        isBeingRead = false;
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

    /** Answers how it stood before, when it was open then. */
    public synchronized Optional<SwapStatus> enter(SwapRow row) {
        if (isBeingRead) {
            changed.add(row.id());
        }
        return Optional.ofNullable(put(row)).map(Entry::status);
    }

    /** Answers the entry before; null where there was none. */
    private Entry put(SwapRow row) {
        // A completed swap may still need its keys: for our own lock, which nobody may ever claim.
        return row.isSettled() ? open.remove(row.id()) : open.put(row.id(), Entry.of(row));
    }

    /** Reserves gas for a swap, ahead of swaps executed later, so that two swaps executed at once cannot both count on the last of it. */
    public void executing(SwapRow row) {
        turns.computeIfAbsent(row.id(), any -> newestTurn.incrementAndGet());
    }

    /** Its lock was refused, or is a matter of its row by now. */
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

    /** A swap pays more for its locks than others do, and is not kept waiting by a spend of less. */
    @Override
    public Optional<String> of(Hash256 hashLock) {
        return switch (redeemer == Redeemer.ENGINE && outdated ? Redeemer.NOT_KNOWN_YET : redeemer) {
            case NOBODY -> Optional.empty();
            case NOT_KNOWN_YET -> Optional.of("a swap, perhaps: the journal of swaps has not been read yet");
            case ENGINE ->
                any(entry -> entry.hashLock().equals(hashLock))
                        .map(
                                id -> "the swap " + id
                                        + " with the fee of swaps: swap_refund takes its lock back, swap_status tells where it is");
        };
    }

    /** Keeps a place among the open quotes for one that is being taken; false when there are so many. Given back by {@link #quoteTaken}. */
    synchronized boolean takesQuote(int most) {
        if (count(SwapStatus.QUOTED) + beingTaken >= most) {
            return false;
        }
        beingTaken++;
        return true;
    }

    /** Ends a pending quote, which is in this book by now or was not taken. */
    synchronized void quoteTaken() {
        beingTaken--;
    }

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
