package org.chainwalletd.account;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.State;

/** One transaction that is not final, as the {@link SendWatch} keeps it; nobody else touches it. */
final class OpenSend {
    AccountSend row;
    /** Empty: at the next occasion. */
    OptionalLong pushedAt = OptionalLong.empty();
    /** Where the chain stood when the newest version was first seen here. */
    long headThen;
    /** When it was last tried to pay more, whether or not there was room for it. */
    long triedAt;
    /** A version that pays more is being made. */
    boolean replacing;
    /** The journal is asked what it has; until then nothing changes. */
    boolean rereading;
    /** Looks in a row at which its nonce was spent and no version of it had a receipt. */
    int timesGone;
    /** It was handed to the endpoints, and none has answered yet. */
    boolean firstOnItsWay;
    /** Those who wait for an endpoint's word. */
    final List<CompletableFuture<SendRecord>> answers = new ArrayList<>();

    OpenSend(AccountSend row, long head) {
        this.row = row;
        this.headThen = head;
    }

    /** After a start nobody knows where the chain stands before the first look. */
    void firstSeenAt(long head) {
        if (headThen == 0) {
            headThen = head;
        }
    }

    /** A spent nonce is nobody's wish but ours. */
    boolean pushesItself() {
        return row.newest().cancels() || Pushing.valueOf(row.pushing()) != Pushing.BY_OWNER;
    }

    /** Whether it is in no block. */
    boolean isWaiting() {
        return row.state() == State.JOURNALLED || row.state() == State.SENT;
    }

    boolean mustGoOut(SendPace pace, long now) {
        return pushedAt.isEmpty() || now - pushedAt.getAsLong() >= pace.resend().toMillis();
    }

    /** @param lowest whether nothing of its address has a lower nonce and waits */
    boolean mustPayMore(SendPace pace, boolean lowest, long now, long head) {
        if (replacing) {
            return false;
        }
        long age = now - Math.max(row.newest().createdAt(), triedAt);
        if (Pushing.valueOf(row.pushing()) == Pushing.URGENTLY) {
            return age >= pace.urgent().toMillis();
        }
        return lowest && age >= pace.stuck().toMillis() && head - headThen >= pace.stuckBlocks();
    }
}
