package org.chainwalletd.rpc;

import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.api.RefusedException;

/** How many long polls are open, and how many may be. */
final class LongPolls {
    private static final long RETRY_AFTER_SECONDS = 5;

    private final int most;
    private final AtomicInteger open = new AtomicInteger();

    LongPolls(int most) {
        this.most = most;
    }

    int open() {
        return open.get();
    }

    /**
     * @throws RefusedException -32042 when there is no place
     */
    void enter() {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            throw RefusedException.tooManyRequests(
                    "already " + most + " waits at a time (--max-waits)", RETRY_AFTER_SECONDS);
        }
    }

    void leave() {
        open.decrementAndGet();
    }
}
