package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * The spends that the {@link BurialWatch} watches: in which block each is, and which of them are in doubt because the chain that is followed
 * has not shown that block yet, or has another one there. What is in no doubt costs nothing until its height is deep.
 */
final class UnburiedSpends {
    /** One confirmed spend. */
    static final class Entry {
        private ConfirmedSpend spend;
        private boolean busy;
        private long dueAt = Long.MIN_VALUE;

        private Entry(ConfirmedSpend spend) {
            this.spend = spend;
        }

        Hash256 txId() {
            return spend.txId();
        }

        ConfirmedSpend spend() {
            return spend;
        }

        SpendingBooks.Question question() {
            return new SpendingBooks.Question(
                    spend.txId(), spend.inputs().stream().map(Coin::outpoint).toList(), spend.place());
        }

        /** Whether a question or a write about it is under way. */
        boolean isBusy() {
            return busy;
        }

        void begin() {
            busy = true;
        }

        /** When it is asked for at the earliest. */
        long dueAt() {
            return dueAt;
        }
    }

    private final Map<Hash256, Entry> entries = new HashMap<>();
    private final NavigableMap<Long, Set<Entry>> byHeight = new TreeMap<>();
    private final Set<Entry> inDoubt = new LinkedHashSet<>();
    private final AtomicInteger count;

    /**
     * @param count kept equal to the number of spends that are watched
     */
    UnburiedSpends(List<ConfirmedSpend> spends, AtomicInteger count) {
        this.count = count;
        spends.forEach(this::add);
    }

    /** Takes up a spend, or a new block of one that is watched already. */
    void add(ConfirmedSpend spend) {
        Entry entry = entries.computeIfAbsent(spend.txId(), txId -> new Entry(spend));
        place(entry, spend);
        count.set(entries.size());
    }

    /** Its block is another one now. */
    void move(Entry entry, BlockPlace place) {
        place(entry, entry.spend.at(place));
        entry.busy = false;
    }

    private void place(Entry entry, ConfirmedSpend spend) {
        displace(entry);
        entry.spend = spend;
        spend.place()
                .ifPresent(place -> byHeight.computeIfAbsent(place.height(), height -> new LinkedHashSet<>())
                        .add(entry));
        inDoubt.add(entry);
    }

    private void displace(Entry entry) {
        entry.spend
                .place()
                .ifPresent(place -> byHeight.computeIfPresent(
                        place.height(), (height, all) -> all.remove(entry) && all.isEmpty() ? null : all));
    }

    Entry get(Hash256 txId) {
        return entries.get(txId);
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    void remove(Hash256 txId) {
        Entry entry = entries.remove(txId);
        if (entry != null) {
            displace(entry);
            inDoubt.remove(entry);
            count.set(entries.size());
        }
    }

    /** The blocks from this height on may be others now. */
    void doubtFrom(long height) {
        byHeight.tailMap(height, true).values().forEach(inDoubt::addAll);
    }

    /** The oldest doubt first. */
    List<Entry> inDoubt() {
        return List.copyOf(inDoubt);
    }

    /** The chain that is followed has its block. */
    void proven(Entry entry) {
        entry.busy = false;
        inDoubt.remove(entry);
    }

    /** Those in no doubt whose block is not above {@code height}. */
    List<Entry> provenUpTo(long height) {
        List<Entry> proven = new ArrayList<>();
        byHeight.headMap(height, true)
                .values()
                .forEach(all -> all.stream()
                        .filter(entry -> !entry.busy && !inDoubt.contains(entry))
                        .forEach(proven::add));
        return proven;
    }

    /** Nothing could be found out or written about it: it is looked at again at {@code dueAt}, or with the next tip. */
    void later(Entry entry, long dueAt) {
        entry.busy = false;
        entry.dueAt = dueAt;
        inDoubt.remove(entry);
        inDoubt.add(entry);
    }

    /** Whatever is in doubt is looked at now. */
    void makeAllDue() {
        inDoubt.forEach(entry -> entry.dueAt = Long.MIN_VALUE);
    }
}
