package org.chainwalletd.node;

/** Quotas that a node counts per caller, in windows of 60 s (chain protocol, section 10.3). */
enum Bucket {
    SCAN(30),
    TX(60),
    NONE(Integer.MAX_VALUE);

    private final int callsPerWindow;

    Bucket(int callsPerWindow) {
        this.callsPerWindow = callsPerWindow;
    }

    int callsPerWindow() {
        return callsPerWindow;
    }
}
