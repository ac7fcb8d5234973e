package org.chainwalletd.spend;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Elements that are found by keys which they carry themselves: one reference for each key of an element and nothing else, where a map keeps
 * an entry, a key and what that is made of. Open addressing; who can choose keys cannot foresee where they go. For one thread.
 *
 * @param <K> what is asked for
 * @param <E> by identity: an element is in the table once for each of its keys, or not at all
 */
final class CompactTable<K, E> {
    /** How elements tell their keys. */
    interface Keys<K, E> {
        /** How many keys it has. */
        int count(E element);

        /** Of one of its keys: equal to {@link #hashOf} of an equal key. */
        long hash(E element, int number);

        long hashOf(K key);

        boolean has(E element, K key);
    }

    private static final int FIRST_SIZE = 16;
    /** Where an element was that may stand in the way of others. */
    private static final Object GONE = new Object();

    private final Keys<K, E> keys;
    private final long seed = ThreadLocalRandom.current().nextLong();
    private Object[] slots = new Object[FIRST_SIZE];
    /** Slots that are not free: of elements, and of those that are gone. */
    private int taken;

    private int size;

    CompactTable(Keys<K, E> keys) {
        this.keys = keys;
    }

    /** Keys of all elements. */
    int size() {
        return size;
    }

    /** Null when no element has the key; one of them when several have. */
    E get(K key) {
        for (int slot = home(keys.hashOf(key)); slots[slot] != null; slot = next(slot)) {
            if (slots[slot] != GONE && keys.has(element(slot), key)) {
                return element(slot);
            }
        }
        return null;
    }

    /** @param element that is not there yet */
    void add(E element) {
        int count = keys.count(element);
        if (4 * (taken + count) > 3 * slots.length) {
            rehash(size + count);
        }
        place(element);
    }

    private void place(E element) {
        for (int i = 0; i < keys.count(element); i++) {
            int slot = home(keys.hash(element, i));
            while (slots[slot] != null && slots[slot] != GONE) {
                slot = next(slot);
            }
            taken += slots[slot] == null ? 1 : 0;
            slots[slot] = element;
            size++;
        }
    }

    /** @param element that is there: the table knows it by identity */
    void remove(E element) {
        for (int i = 0; i < keys.count(element); i++) {
            int slot = home(keys.hash(element, i));
            while (slots[slot] != element) {
                if (slots[slot] == null) {
                    throw new IllegalArgumentException("not in the table: " + element);
                }
                slot = next(slot);
            }
            slots[slot] = GONE;
            size--;
        }
        if (size < slots.length / 8 && slots.length > FIRST_SIZE) {
            rehash(size);
        }
    }

    /** Every element once. */
    Collection<E> elements() {
        Set<E> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int slot = 0; slot < slots.length; slot++) {
            if (slots[slot] != null && slots[slot] != GONE) {
                all.add(element(slot));
            }
        }
        return all;
    }

    /** What is gone leaves no trace, and there is room for so many keys, and for enough more that this is seldom done. */
    private void rehash(int keysToCome) {
        Collection<E> all = elements();
        slots = new Object[Math.max(FIRST_SIZE, 2 * keysToCome)];
        taken = 0;
        size = 0;
        all.forEach(this::place);
    }

    private int home(long hash) {
        long mixed = (hash ^ seed) * 0x9E37_79B9_7F4A_7C15L;
        return (int) ((mixed >>> 32) * slots.length >>> 32);
    }

    private int next(int slot) {
        return slot + 1 == slots.length ? 0 : slot + 1;
    }

    @SuppressWarnings("unchecked") // Only add() and rehash() write here.
    private E element(int slot) {
        return (E) slots[slot];
    }
}
