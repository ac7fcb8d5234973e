package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The deadlines of many waits: adding, removing and passing time cost the same however many there are. Not safe for threads.
 *
 * @param <T> what has a deadline
 */
final class TimerWheel<T extends TimerWheel.Entry> {
    /** A deadline is found at most this late. */
    static final long SLOT_MILLIS = 50;

    /** Slots of 50 ms each: more than ten minutes, so that an entry is met once. */
    private static final int SLOTS = 16_384;

    /** Entry with a deadline; in one wheel at a time. */
    abstract static class Entry {
        private Entry previous;
        private Entry next;
        private long slot = -1;
    }

    private final LongSupplier clock;
    private final Entry[] first = new Entry[SLOTS];
    private long now;
    private int size;

    /**
     * @param clock milliseconds; never goes back
     */
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

    /**
     * @param due milliseconds of the same clock, at most ten minutes ahead
     */
    void add(T entry, long due) {
        if (size == 0) {
            // The owners advance the wheel only while it has entries.
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

    /** Does nothing when the entry is not in the wheel. */
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

    /** Takes out and gives back those whose deadline has come. */
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
