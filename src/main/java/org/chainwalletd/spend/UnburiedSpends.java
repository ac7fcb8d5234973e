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
 * Confirmed spends that the {@link SpendMonitor} watches: the block of each, and which of them are in doubt because the followed chain has
 * not shown that block yet, or has a different one at its height. There can be many (an hour of spends), so a spend that is not in doubt
 * takes few bytes, and no work until its block is deep enough.
 */
final class UnburiedSpends {
    /** Confirmed spend. */
    static final class Entry {
        private final PackedSpend spend;
        /** Block of the spend; null when unknown. Spends in the same block share one object. */
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

        /** Whether a request or a write about it is in progress. */
        boolean isBusy() {
            return busy;
        }

        void begin() {
            busy = true;
        }

        /** Whether the store may have the spend in flight, because of a write whose outcome is unknown. */
        boolean mayBePutBack() {
            return mayBePutBack;
        }

        void putBackPerhaps() {
            mayBePutBack = true;
        }
    }

    private final CompactTable<Hash256, Entry> entries =
            new CompactTable<>(CompactTable.Keys.byId(entry -> entry.spend));
    private final NavigableMap<Long, List<Entry>> byHeight = new TreeMap<>();
    /** Entries in doubt, the oldest doubt first, with the time in milliseconds since 1970 before which the books are not asked about them. */
    private final Map<Entry, Long> inDoubt = new LinkedHashMap<>();

    private AtomicInteger count;

    /**
     * @param count kept equal to the number of watched spends
     */
    UnburiedSpends(List<ConfirmedSpend> spends, AtomicInteger count) {
        this.count = count;
        count.set(0);
        spends.forEach(this::add);
    }

    /** Stops updating the shared count. */
    void retire() {
        count = new AtomicInteger();
    }

    /**
     * Starts watching a spend, or adopts the new block of one that is already watched. A spend without a block changes nothing in an
     * existing entry.
     */
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

    /** Sets a different block for the entry and marks it as no longer busy. */
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

    void remove(Hash256 txId) {
        Entry entry = entries.get(txId);
        if (entry != null) {
            entries.remove(entry);
            displace(entry);
            inDoubt.remove(entry);
            count.set(entries.size());
        }
    }

    /** Puts all entries from this height on in doubt, because their blocks may have been replaced. */
    void doubtFrom(long height) {
        byHeight.tailMap(height, true)
                .values()
                .forEach(all -> all.forEach(entry -> inDoubt.putIfAbsent(entry, Long.MIN_VALUE)));
    }

    /** Earliest time of the next request about an entry in doubt, milliseconds since 1970. */
    long dueAt(Entry entry) {
        return inDoubt.getOrDefault(entry, Long.MIN_VALUE);
    }

    /** Entries in doubt, the oldest doubt first. */
    List<Entry> inDoubt() {
        return List.copyOf(inDoubt.keySet());
    }

    /** Ends the doubt about an entry, because the followed chain contains its block. */
    void proven(Entry entry) {
        entry.busy = false;
        inDoubt.remove(entry);
    }

    /** Entries that are neither in doubt nor busy and whose block is not above {@code height}. */
    List<Entry> provenUpTo(long height) {
        List<Entry> proven = new ArrayList<>();
        byHeight.headMap(height, true)
                .values()
                .forEach(all -> all.stream()
                        .filter(entry -> !entry.busy && !inDoubt.containsKey(entry))
                        .forEach(proven::add));
        return proven;
    }

    /** Schedules another look at {@code dueAt}, or with the next tip, because nothing could be determined or written about the entry. */
    void later(Entry entry, long dueAt) {
        entry.busy = false;
        inDoubt.remove(entry);
        inDoubt.put(entry, dueAt);
    }

    /** Makes all entries in doubt due now. */
    void makeAllDue() {
        inDoubt.replaceAll((entry, dueAt) -> Long.MIN_VALUE);
    }
}
