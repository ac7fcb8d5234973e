package org.chainwalletd.http;

/** So many a second, and so many at once after a quiet time. */
final class Http2Rate {
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
