package org.chainwalletd.swap.gates;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Status of a swap as reported to callers (swap.md, section 6). Derived from its row, never an independent state. */
public enum SwapStatus {
    QUOTED,
    EXPIRED,
    LOCKING,
    USER_LOCKED,
    POOL_LOCKED,
    CLAIMING,
    COMPLETED,
    REFUNDING,
    REFUNDED,
    /** Our lock is not in force and never can be, see {@link SwapRow.OwnLock.Lost}. */
    FAILED,
    /** The pool finally claimed our lock and finally refunded its own, or never locked. */
    LOST;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<SwapStatus> ofWord(String word) {
        return Arrays.stream(values())
                .filter(status -> status.word().equals(word))
                .findFirst();
    }

    /** Tests whether nothing is expected any more; a reorganisation may reopen the swap. */
    public boolean isTerminal() {
        return this == EXPIRED || this == COMPLETED || this == REFUNDED || this == FAILED || this == LOST;
    }

    /** Tests whether money of ours may be locked, so that the swap's keys are needed. */
    public boolean holdsMoney() {
        return !isTerminal() && this != QUOTED;
    }
}
