package org.chainwalletd.node;

/** Priority of a call: whether somebody waits for it. The background never keeps a place or a quota from the foreground. */
enum Priority {
    /** Payments and reads. */
    FOREGROUND,
    /** Catching up, rescans, reading ahead. */
    BACKGROUND
}
