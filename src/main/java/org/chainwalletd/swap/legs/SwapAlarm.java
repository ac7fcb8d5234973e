package org.chainwalletd.swap.legs;

import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * Condition of a swap that an operator should look at.
 *
 * @param hashLock of the swap; empty when the alarm concerns the account
 * @param swap id of its row, if it has one
 * @param message human-readable: what happened and what to do
 */
public record SwapAlarm(Kind kind, Optional<Hash256> hashLock, Optional<String> swap, String message) {
    /** Kind of an alarm. The names are part of the interface: never rename one. */
    public enum Kind {
        /** The pool has our secret, but its claim is not on the chain. */
        RELAY_SILENT,
        /** The gate was open, but no claim could be made; the secret was not revealed. */
        CLAIM_NOT_MADE,
        /** A claim is journalled and in no block, and half of its margin has passed. */
        CLAIM_NOT_MINED,
        /** The nonces of the account-chain key cannot be explained: no new lock or payment is made from it, and no gate opens. */
        SENDING_STOPPED,
        /** Our lock has been refundable for a quarter of an hour and is not refunded, or its state could not be determined. */
        REFUND_OVERDUE,
        /** The pool claimed our lock, and its own lock is gone. */
        LOST,
        /** A lock of ours in the contract that has no row is refunded. */
        LOCK_WITHOUT_ROW,
        /** A lock that pays us and has no row is claimed. */
        CLAIM_WITHOUT_ROW,
        /** Our lock was claimed, but the secret was found nowhere. */
        SECRET_NOT_FOUND,
        /** The chains contradict a row that was over. */
        ROW_OUTDATED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static SwapAlarm of(Kind kind, SwapRow row, String message) {
        return new SwapAlarm(kind, Optional.of(row.terms().hashLock()), Optional.of(row.id()), message);
    }

    public static SwapAlarm withoutRow(Kind kind, Hash256 hashLock, String message) {
        return new SwapAlarm(kind, Optional.of(hashLock), Optional.empty(), message);
    }

    /** Returns an alarm about the account-chain key, which all swaps share. */
    public static SwapAlarm of(AccountSends.Stopped stop) {
        return new SwapAlarm(Kind.SENDING_STOPPED, Optional.empty(), Optional.empty(), stop.why());
    }
}
