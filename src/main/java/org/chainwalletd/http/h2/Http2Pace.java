package org.chainwalletd.http.h2;

import java.util.function.LongSupplier;
import org.chainwalletd.config.Settings;

/**
 * Rate limits of HTTP/2 frames that cause work without advancing a request (RFC 9113, section 10.5). They allow what a well-behaved client needs.
 * Guarded by {@link Http2Guard}; each method fails with {@link Http2Violation} if there were too many frames.
 */
final class Http2Pace {
    /** Number of response bytes per justified window update: a client has no reason to send them more often. */
    private static final int UPDATE_FOR = 1024;

    private final LongSupplier clock;
    private final Http2Rate pings;
    private final Http2Rate settings;
    private final Http2Rate resets;
    private final Http2Rate idle;
    private long sentSinceUpdate;
    private int pingsOut;

    /** @param clock clock in nanoseconds */
    Http2Pace(Settings.Http2 limits, LongSupplier clock) {
        this.clock = clock;
        long now = clock.getAsLong();
        int rate = limits.maxControlPerSecond();
        this.pings = new Http2Rate(rate, rate, now);
        this.settings = new Http2Rate(rate, rate, now);
        // A client may reset all its open streams at once.
        this.resets = new Http2Rate(rate, Math.max(rate, limits.maxStreams()), now);
        this.idle = new Http2Rate(rate, rate, now);
    }

    /** Counts a frame without content. */
    void idle() {
        idle.count(clock.getAsLong());
    }

    void reset() {
        resets.count(clock.getAsLong());
    }

    void settings() {
        settings.count(clock.getAsLong());
    }

    /**
     * Counts a ping.
     *
     * @param answer whether it answers a ping of the daemon
     * @return whether to pass it on: not if it answers no ping
     */
    boolean ping(boolean answer) {
        pings.count(clock.getAsLong());
        if (!answer) {
            return true;
        }
        if (pingsOut == 0) {
            return false;
        }
        pingsOut--;
        return true;
    }

    /** Records a ping sent by the daemon. */
    void pingSent() {
        pingsOut++;
    }

    /** Counts a window update by the client. */
    void windowUpdate() {
        if (sentSinceUpdate < UPDATE_FOR) {
            idle();
        } else {
            sentSinceUpdate -= UPDATE_FOR;
        }
    }

    /** @param last whether the response ends: its last piece may be acknowledged, however short it is */
    void sent(int bytes, boolean last) {
        sentSinceUpdate += last ? Math.max(UPDATE_FOR, bytes) : bytes;
    }

    /** Token bucket: a rate per second, and a burst after a quiet time. */
    private static final class Http2Rate {
        private final int perSecond;
        private final int burst;
        private double left;
        private long at;

        Http2Rate(int perSecond, int burst, long now) {
            this.perSecond = perSecond;
            this.burst = burst;
            this.left = burst;
            this.at = now;
        }

        /**
         * @param now nanoseconds of any monotonic clock
         * @throws Http2Violation if there were too many
         */
        void count(long now) {
            left = Math.min(burst, left + (now - at) * (perSecond / 1e9));
            at = now;
            if (left < 1) {
                throw Http2Violation.excess("too many frames that carry no request any further");
            }
            left--;
        }
    }
}
