package org.chainwalletd.node;

/** Priority of a call. Background calls never take a connection or a quota from foreground calls. */
enum Priority {
    /** Calls with a waiting caller: payments and reads. */
    FOREGROUND,
    /** Catching up, rescans, read-ahead. */
    BACKGROUND
}
