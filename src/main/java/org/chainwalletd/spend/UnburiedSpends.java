package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * The spends that the {@link SpendMonitor} watches: in which block each is, and which of them are in doubt because the chain that is followed
 * has not shown that block yet, or has another one there. What is in no doubt costs nothing until its height is deep, and few bytes: there
 * are as many as an hour brings.
 */
final class UnburiedSpends {
    /** One confirmed spend. */
    static final class Entry {
        private final PackedSpend spend;
        /** Null when it is not known. Those of one block share one. */
        private BlockPlace place;

        private boolean busy;
        private boolean mayBePutBack;

        private Entry(PackedSpend spend) {
            this.spend = spend;
        }

        Hash256 txId() {
            return spend.txId();
        }

        ConfirmedSpend spend() {
            return new ConfirmedSpend(spend, Optional.ofNullable(place));
        }

        SpendingBooks.Question question() {
            return new SpendingBooks.Question(spend.txId(), spend.outpoints(), Optional.ofNullable(place));
        }

        /** Whether a question or a write about it is under way. */
        boolean isBusy() {
            return busy;
        }

        void begin() {
            busy = true;
        }

        /** Whether the store may have it in flight, by a write whose outcome is not known. */
        boolean mayBePutBack() {
            return mayBePutBack;
        }

        void putBackPerhaps() {
            mayBePutBack = true;
        }
    }

    private static final CompactTable.Keys<Hash256, Entry> BY_ID = new CompactTable.Keys<>() {
        @Override
        public int count(Entry entry) {
            return 1;
        }

        @Override
        public long hash(Entry entry, int number) {
            return entry.spend.fingerprint();
        }

        @Override
        public long hashOf(Hash256 txId) {
            return PackedSpend.fingerprint(txId);
        }

        @Override
        public boolean has(Entry entry, Hash256 txId) {
            return entry.spend.hasId(txId);
        }
    };

    private final CompactTable<Hash256, Entry> entries = new CompactTable<>(BY_ID);
    private final NavigableMap<Long, List<Entry>> byHeight = new TreeMap<>();
    /** Those in doubt, the oldest doubt first, with the time in milliseconds before which they are not asked for. */
    private final Map<Entry, Long> inDoubt = new LinkedHashMap<>();

    private AtomicInteger count;

    /**
     * @param count kept equal to the number of spends that are watched
     */
    UnburiedSpends(List<ConfirmedSpend> spends, AtomicInteger count) {
        this.count = count;
        count.set(0);
        spends.forEach(this::add);
    }

    /** What changes from now on is not counted any more. */
    void retire() {
        count = new AtomicInteger();
    }

    /** Takes up a spend, or a new block of one that is watched already; who knows no block tells nothing new of that one. */
    void add(ConfirmedSpend spend) {
        Entry entry = entries.get(spend.txId());
        if (entry != null && spend.place().isEmpty()) {
            return;
        }
        if (entry == null) {
            entry = new Entry(spend.spend());
            entries.add(entry);
        }
        place(entry, spend.place().orElse(null));
        count.set(entries.size());
    }

    /** Its block is another one now. */
    void move(Entry entry, BlockPlace place) {
        place(entry, place);
        entry.busy = false;
        entry.mayBePutBack = false;
    }

    private void place(Entry entry, BlockPlace place) {
        displace(entry);
        entry.place = place;
        if (place != null) {
            List<Entry> beside = byHeight.computeIfAbsent(place.height(), height -> new ArrayList<>(1));
            if (!beside.isEmpty() && beside.get(beside.size() - 1).place.equals(place)) {
                entry.place = beside.get(beside.size() - 1).place;
            }
            beside.add(entry);
        }
        inDoubt.putIfAbsent(entry, Long.MIN_VALUE);
    }

    private void displace(Entry entry) {
        if (entry.place != null) {
            byHeight.computeIfPresent(
                    entry.place.height(), (height, all) -> all.remove(entry) && all.isEmpty() ? null : all);
        }
    }

    Entry get(Hash256 txId) {
        return entries.get(txId);
    }

    boolean isEmpty() {
        return entries.size() == 0;
    }

    void remove(Hash256 txId) {
        Entry entry = entries.get(txId);
        if (entry != null) {
            entries.remove(entry);
            displace(entry);
            inDoubt.remove(entry);
            count.set(entries.size());
        }
    }

    /** The blocks from this height on may be others now. */
    void doubtFrom(long height) {
        byHeight.tailMap(height, true)
                .values()
                .forEach(all -> all.forEach(entry -> inDoubt.putIfAbsent(entry, Long.MIN_VALUE)));
    }

    /** When one in doubt is asked for at the earliest. */
    long dueAt(Entry entry) {
        return inDoubt.getOrDefault(entry, Long.MIN_VALUE);
    }

    /** The oldest doubt first. */
    List<Entry> inDoubt() {
        return List.copyOf(inDoubt.keySet());
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
                        .filter(entry -> !entry.busy && !inDoubt.containsKey(entry))
                        .forEach(proven::add));
        return proven;
    }

    /** Nothing could be found out or written about it: it is looked at again at {@code dueAt}, or with the next tip. */
    void later(Entry entry, long dueAt) {
        entry.busy = false;
        inDoubt.remove(entry);
        inDoubt.put(entry, dueAt);
    }

    /** Whatever is in doubt is looked at now. */
    void makeAllDue() {
        inDoubt.replaceAll((entry, dueAt) -> Long.MIN_VALUE);
    }
}
