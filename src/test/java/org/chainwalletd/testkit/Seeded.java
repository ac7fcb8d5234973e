package org.chainwalletd.testkit;

import java.util.Random;

/** Random generators for tests: a new seed in each run, which is printed and can be repeated with {@code -Dtest.seed=<seed>}. */
public final class Seeded {
    private Seeded() {}

    /** Creates a generator for the test {@code name}, and prints how to repeat the run. */
    public static Random random(String name) {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println(name + ": -Dtest.seed=" + seed);
        return new Random(seed);
    }

    /** Returns {@code length} random bytes. */
    public static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
