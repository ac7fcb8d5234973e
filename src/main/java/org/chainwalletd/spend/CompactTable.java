package org.chainwalletd.spend;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.PackedSpend;

/**
 * Hash table of elements that contain their own keys: it stores one reference per key of an element and nothing else, whereas a map stores
 * an entry, a key and the parts of that key. Open addressing; the hash is seeded, so that a party who can choose keys cannot predict their
 * slots. For one thread.
 *
 * @param <K> lookup key
 * @param <E> element, compared by identity: it is in the table once for each of its keys, or not at all
 */
final class CompactTable<K, E> {
    /** Access to the keys of elements. */
    interface Keys<K, E> {
        int count(E element);

        /** Hash of one key of an element, by the key's number from 0; equal to {@link #hashOf} of an equal key. */
        long hash(E element, int number);

        long hashOf(K key);

        boolean has(E element, K key);

        /** Access to elements whose only key is the id of a spend. */
        static <E> Keys<Hash256, E> byId(Function<E, PackedSpend> spend) {
            return new Keys<>() {
                @Override
                public int count(E element) {
                    return 1;
                }

                @Override
                public long hash(E element, int number) {
                    return spend.apply(element).fingerprint();
                }

                @Override
                public long hashOf(Hash256 txId) {
                    return PackedSpend.fingerprint(txId);
                }

                @Override
                public boolean has(E element, Hash256 txId) {
                    return spend.apply(element).hasId(txId);
                }
            };
        }
    }

    private static final int FIRST_SIZE = 16;
    /** Marker of a slot whose element was removed; probing continues after it. */
    private static final Object REMOVED = new Object();

    private final Keys<K, E> keys;
    private final long seed = ThreadLocalRandom.current().nextLong();
    private Object[] slots = new Object[FIRST_SIZE];
    /** Number of slots that are not free: those of elements and those with the marker {@link #REMOVED}. */
    private int taken;

    private int size;

    CompactTable(Keys<K, E> keys) {
        this.keys = keys;
    }

    /** Number of keys of all elements. */
    int size() {
        return size;
    }

    /** Finds an element by key; null when there is none, any of them when several elements have the key. */
    E get(K key) {
        for (int slot = home(keys.hashOf(key)); slots[slot] != null; slot = next(slot)) {
            if (slots[slot] != REMOVED && keys.has(element(slot), key)) {
                return element(slot);
            }
        }
        return null;
    }

    /**
     * @param element element that is not yet in the table
     */
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
            while (slots[slot] != null && slots[slot] != REMOVED) {
                slot = next(slot);
            }
            taken += slots[slot] == null ? 1 : 0;
            slots[slot] = element;
            size++;
        }
    }

    /**
     * @param element element that is in the table, matched by identity
     */
    void remove(E element) {
        for (int i = 0; i < keys.count(element); i++) {
            int slot = home(keys.hash(element, i));
            while (slots[slot] != element) {
                if (slots[slot] == null) {
                    throw new IllegalArgumentException("not in the table: " + element);
                }
                slot = next(slot);
            }
            slots[slot] = REMOVED;
            size--;
        }
        if (size < slots.length / 8 && slots.length > FIRST_SIZE) {
            rehash(size);
        }
    }

    /** Returns every element once. */
    Collection<E> elements() {
        Set<E> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int slot = 0; slot < slots.length; slot++) {
            if (slots[slot] != null && slots[slot] != REMOVED) {
                all.add(element(slot));
            }
        }
        return all;
    }

    /**
     * Rebuilds the slots: removes the markers and makes room for {@code keysToCome} more keys, with enough spare room that rebuilding is
     * rare.
     */
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
