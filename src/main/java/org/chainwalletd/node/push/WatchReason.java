package org.chainwalletd.node.push;

/** Why an address is watched, the most urgent reason first (following.md, section 5). */
public enum WatchReason {
    /** Somebody waits for a payment to it. */
    WAIT,
    /** It belongs to a party of an open HTLC. */
    HTLC,
    /** Somebody waits for the next credit of it. */
    FEED,
    /** It was made not long ago. */
    NEWEST,
    /** Its key is elsewhere. */
    WATCH_ONLY
}
