package org.chainwalletd.account;

import java.util.Locale;

/** What a transaction is for. */
public enum SendKind {
    SEND,
    LOCK,
    CLAIM,
    REFUND;

    /** Whether waiting costs money: what is claimed or taken back can be lost to a deadline. */
    boolean isPressing() {
        return this == CLAIM || this == REFUND;
    }

    /** As {@code evm_tx_history} prints it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
