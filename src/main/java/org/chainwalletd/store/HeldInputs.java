package org.chainwalletd.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Which of its inputs a spend holds, as its row has it: null for none, one zero byte for all, otherwise a bit for each input, the first one
 * in the lowest bit of the first byte.
 */
final class HeldInputs {
    static final byte[] ALL = {0};
    static final byte[] NONE = null;

    private HeldInputs() {}

    static byte[] of(BitSet held, int inputs) {
        if (held.isEmpty()) {
            return NONE;
        }
        return held.cardinality() == inputs ? ALL : held.toByteArray();
    }

    static BitSet bits(byte[] stored, int inputs) {
        if (stored == null) {
            return new BitSet();
        }
        BitSet bits = BitSet.valueOf(stored);
        if (same(stored, ALL)) {
            bits.set(0, inputs);
        }
        return bits;
    }

    static List<Coin> coins(byte[] stored, List<Coin> inputs) {
        List<Coin> held = new ArrayList<>();
        bits(stored, inputs.size()).stream().forEach(i -> held.add(inputs.get(i)));
        return held;
    }

    static boolean same(byte[] one, byte[] other) {
        return Arrays.equals(one, other);
    }
}
