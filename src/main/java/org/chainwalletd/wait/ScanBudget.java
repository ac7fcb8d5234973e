package org.chainwalletd.wait;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Rate limit of the scans of addresses for waits. A node accepts 30 scans a minute from one caller (chain protocol, section 10.3); ten of them are
 * for waits, the rest for payments. The first half may be used at once, the rest is spread over the minute. Low-priority scans, made without an
 * open wait, use at most half of them. Thread-safe.
 */
final class ScanBudget {
    private static final long WINDOW_MILLIS = 61_000;
    private static final int SCANS_PER_NODE = 10;

    private final int most;
    private final int atOnce;
    private final long spread;
    private final Deque<Long> made = new ArrayDeque<>();

    /** @param nodes number of nodes over which look-ups rotate */
    ScanBudget(int nodes) {
        this.most = SCANS_PER_NODE * nodes;
        this.atOnce = most / 2;
        this.spread = WINDOW_MILLIS / most;
    }

    /** Returns the milliseconds until a scan is allowed; 0 if it is allowed now. */
    synchronized long delay(long now) {
        return delay(now, most);
    }

    /** Returns the milliseconds until a scan without an open wait is allowed; 0 if it is allowed now. */
    synchronized long lowPriorityDelay(long now) {
        return delay(now, most / 2);
    }

    private long delay(long now, int most) {
        while (!made.isEmpty() && now - made.peekFirst() >= WINDOW_MILLIS) {
            made.pollFirst();
        }
        if (made.size() >= most) {
            return made.stream().skip(made.size() - most).findFirst().orElseThrow() + WINDOW_MILLIS - now;
        }
        return made.size() < Math.min(atOnce, most) ? 0 : Math.max(0, made.peekLast() + spread - now);
    }

    synchronized void spent(long now) {
        made.addLast(now);
    }
}
