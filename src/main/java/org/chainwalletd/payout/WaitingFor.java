package org.chainwalletd.payout;

import java.util.Locale;

/** What a queued payout waits for. */
public enum WaitingFor {
    COINS,
    NEXT_BLOCK,
    NODE_QUOTA,
    ALLOWANCE,
    NODE,
    PAUSED;

    /** As it is told. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
