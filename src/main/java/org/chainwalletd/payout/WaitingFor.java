package org.chainwalletd.payout;

import java.util.Locale;

/** Condition that a queued payout waits for. */
public enum WaitingFor {
    COINS,
    NEXT_BLOCK,
    NODE_QUOTA,
    ALLOWANCE,
    NODE,
    PAUSED;

    /** Word of the interface. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
