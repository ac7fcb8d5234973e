package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Timing wheel for the deadlines of waits: adding, removing and advancing cost the same for any number of entries. Not thread-safe.
 *
 * @param <T> type with a deadline
 */
final class TimerWheel<T extends TimerWheel.Entry> {
    /** Maximum delay after a deadline. */
    static final long SLOT_MILLIS = 50;

    /** Number of slots. They span more than the ten minutes of the longest wait, so that all entries of a slot are due in the same round. */
    private static final int SLOTS = 16_384;

    /** Entry with a deadline; in at most one wheel at a time. */
    abstract static class Entry {
        private Entry previous;
        private Entry next;
        private long slot = -1;
    }

    private final LongSupplier clock;
    private final Entry[] first = new Entry[SLOTS];
    private long now;
    private int size;

    /** @param clock monotonic milliseconds */
    TimerWheel(LongSupplier clock) {
        this.clock = clock;
        this.now = present();
    }

    private long present() {
        return Math.floorDiv(clock.getAsLong(), SLOT_MILLIS);
    }

    int size() {
        return size;
    }

    /** @param due milliseconds of the same clock, at most ten minutes ahead */
    void add(T entry, long due) {
        if (size == 0) {
            // Catches up, because the owners advance the wheel only while it has entries.
            now = Math.max(now, present());
        }
        long slot = Math.min(Math.max(Math.floorDiv(due + SLOT_MILLIS - 1, SLOT_MILLIS), now + 1), now + SLOTS - 1);
        Entry added = entry;
        added.slot = slot;
        int index = index(slot);
        added.next = first[index];
        if (added.next != null) {
            added.next.previous = added;
        }
        first[index] = added;
        size++;
    }

    /** Removes an entry, if it is in the wheel. */
    void remove(T entry) {
        Entry removed = entry;
        if (removed.slot < 0) {
            return;
        }
        if (removed.previous == null) {
            first[index(removed.slot)] = removed.next;
        } else {
            removed.previous.next = removed.next;
        }
        if (removed.next != null) {
            removed.next.previous = removed.previous;
        }
        removed.previous = null;
        removed.next = null;
        removed.slot = -1;
        size--;
    }

    /** Removes and returns the entries whose deadline has passed. */
    List<T> advance() {
        long until = present();
        List<T> due = new ArrayList<>();
        for (long slot = Math.max(now + 1, until - SLOTS + 1); slot <= until; slot++) {
            while (first[index(slot)] != null) {
                @SuppressWarnings("unchecked") // add() takes nothing else
                T entry = (T) first[index(slot)];
                remove(entry);
                due.add(entry);
            }
        }
        now = Math.max(now, until);
        return due;
    }

    private static int index(long slot) {
        return (int) Math.floorMod(slot, (long) SLOTS);
    }
}
