package org.chainwalletd.http.h2;

import java.util.function.LongSupplier;
import org.chainwalletd.config.Settings;

/**
 * Rate limits of HTTP/2 frames that make the daemon work without advancing a request: what a well-behaved client needs, and no more (RFC 9113,
 * section 10.5). Guarded by {@link Http2Guard}; each method fails with {@link Http2Violation} when there were too many.
 */
final class Http2Pace {
    /** A client that takes an answer has no reason to say so more often: bytes. */
    private static final int UPDATE_FOR = 1024;

    private final LongSupplier clock;
    private final Http2Rate pings;
    private final Http2Rate settings;
    private final Http2Rate resets;
    private final Http2Rate idle;
    private long sentSinceUpdate;
    private int pingsOut;

    /** @param clock in nanoseconds */
    Http2Pace(Settings.Http2 limits, LongSupplier clock) {
        this.clock = clock;
        long now = clock.getAsLong();
        int rate = limits.maxControlPerSecond();
        this.pings = new Http2Rate(rate, rate, now);
        this.settings = new Http2Rate(rate, rate, now);
        // All that a client may have open it may also take back at once.
        this.resets = new Http2Rate(rate, Math.max(rate, limits.maxStreams()), now);
        this.idle = new Http2Rate(rate, rate, now);
    }

    /** A frame that says nothing. */
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
     * @param answer whether it answers one of the daemon's
     * @return whether it is to be passed on: not when it answers nothing
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

    /** The daemon asks. */
    void pingSent() {
        pingsOut++;
    }

    /** The client takes more of an answer. */
    void windowUpdate() {
        if (sentSinceUpdate < UPDATE_FOR) {
            idle();
        } else {
            sentSinceUpdate -= UPDATE_FOR;
        }
    }

    /** @param last whether the answer ends: its last piece may be acknowledged, however short it is */
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
         * @param now nanoseconds of any clock that does not run backwards
         * @throws Http2Violation when there were too many
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
