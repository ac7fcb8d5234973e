package org.chainwalletd.testkit;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition instead of for a time. */
public final class Await {
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private Await() {}

    /** Returns as soon as {@code condition} holds; fails when it does not come true within 20 s. */
    public static void until(String what, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
