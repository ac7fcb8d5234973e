package org.chainwalletd.swap.gates;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Status of a swap as reported to callers (swap.md, section 6). Derived from its row, never stored for its own sake. */
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
    /** Our lock never came to be, and never will. */
    FAILED,
    /** The pool claimed our lock and took its own back, both for good. */
    LOST;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<SwapStatus> ofWord(String word) {
        return Arrays.stream(values())
                .filter(status -> status.word().equals(word))
                .findFirst();
    }

    /** Whether nothing is expected any more; a reorganisation may open it again. */
    public boolean isTerminal() {
        return this == EXPIRED || this == COMPLETED || this == REFUNDED || this == FAILED || this == LOST;
    }

    /** Whether money of ours may be locked, so that its keys are needed. */
    public boolean holdsMoney() {
        return !isTerminal() && this != QUOTED;
    }
}
