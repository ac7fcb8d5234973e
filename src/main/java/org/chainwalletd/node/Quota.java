package org.chainwalletd.node;

/**
 * What this process knows of one quota of one node. It never holds calls back on its own count, because a node may be configured without
 * quotas; it remembers that the node has refused, until the window must have ended.
 */
final class Quota {
    /** The node's minute, and one second more: its window begins when our first call arrives, which is after we have sent it. */
    static final long WINDOW_MILLIS = 61_000;
    /** How long a node that has refused a call is taken to have this quota: nodes are configured anew. */
    private static final long KNOWN_MILLIS = 600_000;
    /** Of ten calls that a window allows, so many may be used by calls that can wait. */
    private static final int PATIENT_TENTHS = 7;

    private final Bucket bucket;
    private boolean counting;
    private long windowStart;
    private int used;
    private long limitedUntil;
    private long knownUntil;
    private boolean known;
    private String refusal;

    Quota(Bucket bucket) {
        this.bucket = bucket;
    }

    /**
     * A call leaves for the node.
     *
     * @param now milliseconds of a clock that never goes back
     */
    void spent(long now) {
        if (!counting || now - windowStart >= WINDOW_MILLIS) {
            counting = true;
            windowStart = now;
            used = 0;
        }
        used++;
    }

    /** The node has refused a call with {@code text}. Its window began with our first call at the latest, so it ends a window later. */
    void refused(String text, long now) {
        refusal = text;
        boolean ownWindow = counting && now - windowStart < WINDOW_MILLIS;
        limitedUntil = (ownWindow ? windowStart : now) + WINDOW_MILLIS;
        known = true;
        knownUntil = now + KNOWN_MILLIS;
    }

    /**
     * How long a call should wait for this quota, in milliseconds. A patient one also waits for the next window when it would use up what
     * the calls of payments need.
     */
    long pause(boolean patient, long now) {
        if (isLimited(now)) {
            return limitedUntil - now;
        }
        known &= now - knownUntil < 0;
        int reserved = bucket.callsPerWindow() - bucket.callsPerWindow() / 10 * PATIENT_TENTHS;
        return patient && known && budget(now) <= reserved ? windowStart + WINDOW_MILLIS - now : 0;
    }

    boolean isLimited(long now) {
        if (refusal != null && now - limitedUntil >= 0) {
            refusal = null;
        }
        return refusal != null;
    }

    /** The node's words, while it is limited. */
    String refusal() {
        return refusal;
    }

    /** Calls that are left in the node's window as far as this process can tell. */
    int budget(long now) {
        if (isLimited(now)) {
            return 0;
        }
        boolean ownWindow = counting && now - windowStart < WINDOW_MILLIS;
        return ownWindow ? Math.max(0, bucket.callsPerWindow() - used) : bucket.callsPerWindow();
    }
}
