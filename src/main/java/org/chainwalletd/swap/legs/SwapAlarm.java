package org.chainwalletd.swap.legs;

import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * Something about swaps that somebody should look at.
 *
 * @param hashLock of the swap; empty when it is about the account
 * @param swap the id of its row, where it has one
 * @param message for people: what happened and what to do
 */
public record SwapAlarm(Kind kind, Optional<Hash256> hashLock, Optional<String> swap, String message) {
    /** Subject of an alarm. The words are told: never rename one. */
    public enum Kind {
        /** The pool has our secret, and its claim is not on the chain. */
        RELAY_SILENT,
        /** The gate was open, and no claim could be made: the secret is still ours. */
        CLAIM_NOT_MADE,
        /** A claim is journalled and in no block, and half of its margin is gone. */
        CLAIM_NOT_MINED,
        /** The nonces of the account-chain key cannot be explained: nothing new is locked or paid from it, and no gate opens. */
        SENDING_STOPPED,
        /** Our lock could be taken back for a quarter of an hour, and stands, or nobody could find out whether it does. */
        REFUND_OVERDUE,
        /** The pool claimed our lock, and its own is gone. */
        LOST,
        /** Money of ours in the contract of which the journal knows nothing is taken back. */
        LOCK_WITHOUT_ROW,
        /** Money for us of which the journal knows nothing is claimed. */
        CLAIM_WITHOUT_ROW,
        /** Our lock was claimed, and the secret is nowhere to be read. */
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

    /** About the key that all swaps share. */
    public static SwapAlarm of(AccountSends.Stopped stop) {
        return new SwapAlarm(Kind.SENDING_STOPPED, Optional.empty(), Optional.empty(), stop.why());
    }
}
