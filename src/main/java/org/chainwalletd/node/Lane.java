package org.chainwalletd.node;

/** Whether somebody waits for a call. The background never keeps a place or a quota from the foreground. */
enum Lane {
    /** Payments and reads. */
    FOREGROUND,
    /** Catching up, rescans, reading ahead. */
    BACKGROUND
}
