package org.chainwalletd.testkit;

import java.util.Random;

/** Randomness for tests: a fresh seed in each run, printed, and repeatable with {@code -Dtest.seed=<seed>}. */
public final class Seeded {
    private Seeded() {}

    /** A generator for the test called {@code name}; the printed line says how to repeat the run. */
    public static Random random(String name) {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println(name + ": -Dtest.seed=" + seed);
        return new Random(seed);
    }

    /** {@code length} random bytes. */
    public static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
