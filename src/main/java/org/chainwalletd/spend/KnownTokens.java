package org.chainwalletd.spend;

import java.util.Arrays;
import org.chainwalletd.store.TokenBinding;

/**
 * Fingerprints of the idempotency tokens that the store may know: a token that is not among them is new for certain, and need not be looked
 * up. The other way round nothing is certain, so a fingerprint that two tokens share, or one whose token has expired, costs a look and no
 * more. Belongs to {@link Receipts}.
 */
final class KnownTokens {
    private static final int FIRST_SIZE = 1 << 10;
    private static final int PART_OF_HEAP = 64;
    private static final int LARGEST_SIZE = 1 << 21;

    private final int most;
    private long[] slots = new long[FIRST_SIZE];
    private int count;
    private boolean complete;

    /** Keeps as many fingerprints as fit into a small part of the heap. */
    KnownTokens() {
        this(mostThatFit());
    }

    /** @param most greatest number of fingerprints kept; when there are more every token is looked up */
    KnownTokens(int most) {
        this.most = most;
    }

    static int mostThatFit() {
        long slots = Runtime.getRuntime().maxMemory() / PART_OF_HEAP / Long.BYTES;
        return (int) Math.min(LARGEST_SIZE, slots) / 4;
    }

    /** Adds the fingerprints that the store had at some moment; tokens that came since were added one by one. */
    void load(long[] fingerprints) {
        complete = true;
        for (long fingerprint : fingerprints) {
            add(fingerprint);
        }
    }

    void add(String token) {
        add(TokenBinding.fingerprint(token));
    }

    boolean isNew(String token) {
        return complete && slots[slotOf(marked(TokenBinding.fingerprint(token)))] == 0;
    }

    private void add(long any) {
        long fingerprint = marked(any);
        int slot = slotOf(fingerprint);
        if (slots[slot] != 0) {
            return;
        }
        if (count == most) {
            complete = false;
            return;
        }
        slots[slot] = fingerprint;
        count++;
        if (2 * count > slots.length) {
            grow();
        }
    }

    private void grow() {
        long[] old = slots;
        slots = new long[2 * old.length];
        Arrays.stream(old)
                .filter(fingerprint -> fingerprint != 0)
                .forEach(fingerprint -> slots[slotOf(fingerprint)] = fingerprint);
    }

    /** Slot of a fingerprint, or the free slot where it would go. */
    private int slotOf(long fingerprint) {
        int mask = slots.length - 1;
        int slot = (int) (fingerprint ^ fingerprint >>> 32) & mask;
        while (slots[slot] != 0 && slots[slot] != fingerprint) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** Replaces the fingerprint 0, which marks a free slot, by another value. */
    private static long marked(long fingerprint) {
        return fingerprint == 0 ? 1 : fingerprint;
    }
}
