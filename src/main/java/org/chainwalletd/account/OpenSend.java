package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.State;

/** Transaction that is not final, as kept by the {@link SendWatch}; used only by it. */
final class OpenSend {
    private static final int MOST_AT_ONCE = 8;
    /** Initial number of nonces followed because of one endpoint; one more for each {@link SendPace#refused} of its age. */
    private static final int NONCES_OF_AN_ENDPOINT = 2;

    AccountSend row;
    /** Time of the last submission to endpoints; empty: to be submitted at the next occasion. */
    OptionalLong pushedAt = OptionalLong.empty();
    /** Height of the chain when the newest version was first seen here; 0 when it is not known. */
    long headThen;
    /** Time of the last attempt to raise the fee, whether or not the ceiling left room for it. */
    long triedAt;
    /** Whether a replacement with a higher fee is in preparation. */
    boolean replacing;
    /** Replacement in preparation, with the callers that wait for it. */
    Optional<Replacement> replacement = Optional.empty();
    /** Whether the row is being reread from the journal; it does not change in the meantime. */
    boolean rereading;
    /** Number of consecutive looks at which its nonce was used and no version of it had a receipt. */
    private int timesGone;
    /** Time of the first of these looks. */
    private long goneSince;
    /** Whether it was submitted for the first time and no endpoint has answered yet. */
    boolean firstOnItsWay;
    /** Time since which every endpoint has refused it at each attempt; empty once an endpoint has accepted it. */
    OptionalLong refusedSince = OptionalLong.empty();
    /** Versions that an endpoint has accepted, as far as this process knows. */
    final Set<Hash256> accepted = new HashSet<>();
    /** Newest version, when an endpoint has refused it because it does not pay enough more than another one. */
    private Optional<Hash256> outbid = Optional.empty();
    /** Lowest balance of its address, in wei, that an endpoint reported at the last attempt to raise the fee; empty if unknown. */
    Optional<BigInteger> lowestBalance = Optional.empty();
    /** Number of submissions of its versions that no endpoint has answered yet. */
    int underWay;
    /** Unix seconds after which it is worthless, as set by its owner; unsigned. */
    OptionalLong deadline = OptionalLong.empty();
    /** Time of the last query for the nonces that endpoints report for it. */
    OptionalLong pursuedAt = OptionalLong.empty();
    /** Whether endpoints are being asked for nonces, or copies at those nonces are in preparation. */
    boolean pursuing;
    /** Time before which no copy is sent, because one was mined and reverted. */
    long pausedUntil = Long.MIN_VALUE;
    /** Nonces at which it was copied because an endpoint reported them, by the endpoint's name. */
    final Map<String, Set<Long>> followed = new HashMap<>();
    /** Nonce that each endpoint reported at the last query. */
    final Map<String, Long> namedBefore = new HashMap<>();
    /** Whether its nonce was unused at the last look. */
    boolean isAhead;
    /** Callers that wait for an endpoint's answer. */
    final List<CompletableFuture<SendRecord>> answers = new ArrayList<>();

    /** Version in preparation, with the callers that wait for it. */
    record Replacement(CompletionStage<Replacer.Made> made, List<CompletableFuture<SendRecord>> answers) {}

    OpenSend(AccountSend row, long head) {
        this.row = row;
        this.headThen = head;
    }

    /** Sets {@link #headThen} at the first look after a start, before which the chain's height is not known. */
    void firstSeenAt(long head) {
        if (headThen == 0) {
            headThen = head;
        }
    }

    private Pushing pushing() {
        return Pushing.valueOf(row.order().pushing());
    }

    /** A transaction that only uses up a nonce has no owner that pushes it. */
    boolean pushesItself() {
        return row.newest().cancels() || pushing() == Pushing.BY_ITSELF || pushing() == Pushing.URGENTLY;
    }

    /** Whether it repeats another send. */
    boolean repeats(AccountSend other) {
        return row.call().to().equals(other.call().to())
                && row.call().data().equals(other.call().data())
                && row.order().kind().equals(other.order().kind())
                && isPressing();
    }

    /**
     * Whether a nonce that an endpoint reports is used for a copy. Requires that the endpoint reports it twice: the transaction count may be ahead of
     * the receipts, and a transaction of ours mined in the meantime explains it. The number of such nonces is bounded: a lying endpoint can report
     * any, and each copy may be mined and revert.
     */
    boolean mayFollow(String endpoint, long nonce, SendPace pace, long now) {
        Long before = namedBefore.put(endpoint, nonce);
        if (before == null || before != nonce) {
            return false;
        }
        Set<Long> nonces = followed.computeIfAbsent(endpoint, any -> new HashSet<>());
        long most = NONCES_OF_AN_ENDPOINT
                + Math.max(0, now - row.progress().createdAt()) / pace.refused().toMillis();
        if (nonces.contains(nonce) || nonces.size() >= most) {
            return nonces.contains(nonce);
        }
        return nonces.add(nonce);
    }

    void found() {
        timesGone = 0;
    }

    void gone(long now) {
        goneSince = timesGone == 0 ? now : goneSince;
        timesGone++;
    }

    /** Whether another transaction seems to have used its nonce. A single look may fall between two answers of endpoints that index late. */
    boolean isMissing() {
        return timesGone > 1;
    }

    /** Whether it has been missing for so long that a receipt is no longer expected. */
    boolean isLost(SendPace pace, long now) {
        return isMissing() && now - goneSince >= pace.refused().toMillis();
    }

    /** Whether it is not in a block. */
    boolean isWaiting() {
        return row.state() == State.JOURNALLED || row.state() == State.SENT;
    }

    /** Whether it must be sent again. A transaction in replacement is sent with its replacement. */
    boolean mustGoOut(SendPace pace, long now) {
        return !replacing
                && (pushedAt.isEmpty()
                        || now - pushedAt.getAsLong() >= pace.resend().toMillis());
    }

    /** Records that an endpoint has accepted it, or has refused it perhaps only because of a lower nonce that still waits. */
    void mayBeTaken() {
        refusedSince = OptionalLong.empty();
    }

    void notTaken(Hash256 version, Throwable why, long now) {
        boolean byAll = why instanceof AccountException.NotTaken none && none.refusedByAll();
        if (why instanceof AccountException.NotTaken none && none.outbid()) {
            outbid = Optional.of(version);
        }
        if (!byAll || row.state() != State.JOURNALLED) {
            refusedSince = OptionalLong.empty();
        } else if (refusedSince.isEmpty()) {
            refusedSince = OptionalLong.of(now);
        }
    }

    /** Whether an endpoint demands a higher fee for a replacement than the newest version pays. */
    boolean isOutbid() {
        return outbid.filter(row.newest().hash()::equals).isPresent();
    }

    /**
     * Whether every endpoint has refused it for so long that it is abandoned; if one mines it nevertheless, its versions show that. Claims and
     * refunds are never abandoned. If its nonce cannot be used up otherwise, it is sent again until the next attempt.
     */
    boolean isHopeless(SendPace pace, long now) {
        return !replacing
                && !isPressing()
                && !row.newest().cancels()
                && now - triedAt >= pace.stuck().toMillis()
                && refusedSince.isPresent()
                && now - refusedSince.getAsLong() >= pace.refused().toMillis();
    }

    boolean isPressing() {
        return SendKind.valueOf(row.order().kind()).isPressing();
    }

    private BigInteger cost(AccountSend.Version version) {
        BigInteger fee = version.maxFee()
                .multiply(BigInteger.valueOf(
                        version.cancels() ? Replacer.TRANSFER_GAS : row.call().gasLimit()));
        return version.cancels() ? fee : fee.add(row.call().value());
    }

    /**
     * Versions to send: the newest one, and the most expensive one of the same purpose that the lowest balance can pay, for endpoints that cannot
     * accept another one; for pressing sends also the most expensive one.
     */
    List<AccountSend.Version> outgoing() {
        AccountSend.Version newest = row.newest();
        boolean isHastened = isPressing() && !newest.cancels();
        Comparator<AccountSend.Version> byFee = Comparator.comparing(AccountSend.Version::maxFee);
        Set<AccountSend.Version> outgoing = new LinkedHashSet<>();
        if (lowestBalance.isPresent()) {
            row.versions().stream()
                    .filter(version -> version.cancels() == newest.cancels())
                    .filter(version -> cost(version).compareTo(lowestBalance.get()) <= 0)
                    .max(byFee)
                    .ifPresent(outgoing::add);
        } else if (isHastened) {
            int from = Math.max(0, row.versions().size() - MOST_AT_ONCE);
            outgoing.addAll(row.versions().subList(from, row.versions().size()));
        }
        if (isHastened) {
            row.versions().stream().max(byFee).ifPresent(outgoing::add);
        }
        outgoing.add(newest);
        return List.copyOf(outgoing);
    }

    /** Age of its newest version, or time since the last attempt at a higher fee. */
    private long age(long now) {
        return now - Math.max(row.newest().createdAt(), triedAt);
    }

    /** Wei up to its ceiling; zero for sends that are not pressing. */
    BigInteger room() {
        if (!isPressing() || row.newest().cancels()) {
            return BigInteger.ZERO;
        }
        BigInteger paid = row.versions().stream()
                .map(AccountSend.Version::maxFee)
                .reduce(BigInteger.ZERO, BigInteger::max)
                .multiply(BigInteger.valueOf(row.call().gasLimit()));
        return row.order()
                .feeCeiling()
                .map(most -> most.subtract(paid).max(BigInteger.ZERO))
                .orElse(BigInteger.ZERO);
    }

    boolean isUrgent() {
        return pushing() == Pushing.URGENTLY;
    }

    /** Whether a copy, which does not wait for another send of ours, must now pay more. */
    boolean mustPayMoreAsCopy(SendPace pace, long now) {
        boolean isClaim = SendKind.valueOf(row.order().kind()) == SendKind.CLAIM;
        return !replacing && age(now) >= (isClaim ? pace.urgent() : pace.stuck()).toMillis();
    }

    /** Whether it prevents a pressing send that offers more from being mined. */
    boolean isInTheWayOf(OpenSend urgent, SendPace pace, long now) {
        return !replacing
                && urgent.row.nonce() > row.nonce()
                && urgent.row.newest().tip().compareTo(row.newest().tip()) > 0
                && age(now) >= pace.urgent().toMillis();
    }

    /** Whether its owner has neither got it mined nor abandoned it for so long that other sends need not wait for the owner. */
    boolean isLeftBehind(SendPace pace, long now) {
        return !replacing && !pushesItself() && age(now) >= pace.stuck().toMillis();
    }

    /** @param lowest whether no other send of its address waits at a lower nonce */
    boolean mustPayMore(SendPace pace, boolean lowest, long now, long head) {
        if (replacing) {
            return false;
        }
        if (isUrgent()) {
            return age(now) >= pace.urgent().toMillis();
        }
        if (!lowest || age(now) < pace.stuck().toMillis()) {
            return false;
        }
        // An endpoint that hides the head must not delay a refund.
        boolean isLate = isPressing() && age(now) >= pace.refused().toMillis();
        return isLate || head - headThen >= pace.stuckBlocks();
    }
}
