package org.chainwalletd.rpc;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Short names of calls, unique within the process and hardly ever the same in another one. */
final class RequestIds {
    private static final int RADIX = 36;

    private final String prefix =
            Integer.toString(new SecureRandom().nextInt(RADIX * RADIX * RADIX * RADIX), RADIX) + "-";
    private final AtomicLong last = new AtomicLong();

    String next() {
        return prefix + Long.toString(last.incrementAndGet(), RADIX);
    }
}
