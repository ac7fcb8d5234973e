package org.chainwalletd.account;

import java.math.BigInteger;
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
    /** Since when every endpoint has refused it each time, while none had ever taken it. */
    OptionalLong refusedSince = OptionalLong.empty();
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
        return row.newest().cancels() || Pushing.valueOf(row.order().pushing()) != Pushing.BY_OWNER;
    }

    /** Whether it is in no block. */
    boolean isWaiting() {
        return row.state() == State.JOURNALLED || row.state() == State.SENT;
    }

    boolean mustGoOut(SendPace pace, long now) {
        return pushedAt.isEmpty() || now - pushedAt.getAsLong() >= pace.resend().toMillis();
    }

    /** An endpoint has taken it, or refuses it perhaps for nothing but the lower nonce that waits. */
    void mayBeTaken() {
        refusedSince = OptionalLong.empty();
    }

    void notTaken(Throwable why, long now) {
        boolean byAll = why instanceof AccountException.NotTaken none && none.refusedByAll();
        if (!byAll || row.state() != State.JOURNALLED) {
            refusedSince = OptionalLong.empty();
        } else if (refusedSince.isEmpty()) {
            refusedSince = OptionalLong.of(now);
        }
    }

    /** Whether nobody wants it, ever; whoever does all the same may mine it, which its versions then tell. */
    boolean isHopeless(SendPace pace, long now) {
        return !replacing
                && !row.newest().cancels()
                && refusedSince.isPresent()
                && now - refusedSince.getAsLong() >= pace.refused().toMillis();
    }

    /** Of its newest version, since it was last tried to pay more. */
    private long age(long now) {
        return now - Math.max(row.newest().createdAt(), triedAt);
    }

    /** Wei up to its ceiling; none for what is not pressing. */
    BigInteger room() {
        if (!SendKind.valueOf(row.order().kind()).isPressing() || row.newest().cancels()) {
            return BigInteger.ZERO;
        }
        BigInteger paid =
                row.newest().maxFee().multiply(BigInteger.valueOf(row.call().gasLimit()));
        return row.order()
                .feeCeiling()
                .map(most -> most.subtract(paid).max(BigInteger.ZERO))
                .orElse(BigInteger.ZERO);
    }

    boolean isUrgent() {
        return Pushing.valueOf(row.order().pushing()) == Pushing.URGENTLY;
    }

    /** Whether it keeps an urgent one that offers more from being mined. */
    boolean isInTheWayOf(OpenSend urgent, SendPace pace, long now) {
        return !replacing
                && urgent.row.nonce() > row.nonce()
                && urgent.row.newest().tip().compareTo(row.newest().tip()) > 0
                && age(now) >= pace.urgent().toMillis();
    }

    /** Whether its owner has not got it through, nor given it up, for so long that others need not wait for him. */
    boolean isLeftBehind(SendPace pace, long now) {
        return !replacing && !pushesItself() && age(now) >= pace.stuck().toMillis();
    }

    /** @param lowest whether nothing of its address has a lower nonce and waits */
    boolean mustPayMore(SendPace pace, boolean lowest, long now, long head) {
        if (replacing) {
            return false;
        }
        if (isUrgent()) {
            return age(now) >= pace.urgent().toMillis();
        }
        return lowest && age(now) >= pace.stuck().toMillis() && head - headThen >= pace.stuckBlocks();
    }
}
