package org.chainwalletd.store.books;

import java.util.SplittableRandom;

/**
 * Numbers, of which it can be told that one is certainly not among them, so that a table need not be asked for what it does not have. Two
 * things may have the same number: who finds one among them asks the table all the same. Nothing is ever taken out. Eight to sixteen bytes
 * for each number, whatever it stands for.
 */
final class Sieve {
    private static final int FEWEST_SLOTS = 1 << 10;
    private static final long FREE = 0;

    /** Those who choose the numbers must not choose where they go as well. */
    private final long salt = new SplittableRandom().nextLong();

    private long[] slots = new long[FEWEST_SLOTS];
    private int size;

    int size() {
        return size;
    }

    void add(long number) {
        if (enter(slots, spread(number))) {
            size++;
            if (2 * size > slots.length) {
                grow();
            }
        }
    }

    /** False: it was never added. */
    boolean mayHave(long number) {
        long wanted = spread(number);
        int slot = first(slots, wanted);
        while (slots[slot] != FREE && slots[slot] != wanted) {
            slot = slot + 1 & slots.length - 1;
        }
        return slots[slot] == wanted;
    }

    private void grow() {
        long[] larger = new long[2 * slots.length];
        for (long held : slots) {
            if (held != FREE) {
                enter(larger, held);
            }
        }
        slots = larger;
    }

    private static boolean enter(long[] slots, long spread) {
        int slot = first(slots, spread);
        while (slots[slot] != FREE) {
            if (slots[slot] == spread) {
                return false;
            }
            slot = slot + 1 & slots.length - 1;
        }
        slots[slot] = spread;
        return true;
    }

    private static int first(long[] slots, long spread) {
        return (int) (spread >>> Integer.SIZE) & slots.length - 1;
    }

    /** The finishing steps of MurmurHash3, which send different numbers to different ones; but for the one that would be {@link #FREE}. */
    private long spread(long number) {
        long mixed = number ^ salt;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        mixed ^= mixed >>> 33;
        return mixed == FREE ? 1 : mixed;
    }
}
