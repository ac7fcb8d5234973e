package org.chainwalletd.devnet.call;

import java.net.InetAddress;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * Calls per peer in a fixed window that starts with the first call (chain protocol, section 10.3). Refused calls count too.
 */
final class Quota {
    private static final long WINDOW_MILLIS = 60_000;
    private static final int PEERS_BEFORE_CLEANING = 1_024;

    private final int limit;
    private final InstantSource clock;
    private final Map<InetAddress, Window> windows = new HashMap<>();

    Quota(int limit, InstantSource clock) {
        this.limit = limit;
        this.clock = clock;
    }

    private record Window(long start, int calls) {}

    /** Counts one call; false when it is one too many. */
    synchronized boolean admits(InetAddress peer) {
        long now = clock.millis();
        if (windows.size() > PEERS_BEFORE_CLEANING) {
            windows.values().removeIf(window -> now - window.start() >= WINDOW_MILLIS);
        }
        Window window = windows.get(peer);
        if (window == null || now - window.start() >= WINDOW_MILLIS) {
            window = new Window(now, 0);
        }
        window = new Window(window.start(), window.calls() + 1);
        windows.put(peer, window);
        return window.calls() <= limit;
    }
}
