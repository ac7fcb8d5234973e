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

/** Transaction that is not final, as the {@link SendWatch} keeps it; nobody else touches it. */
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
    /** Whether a replacement with a higher fee is being made. */
    boolean replacing;
    /** Replacement that is being made, with the callers that wait for it. */
    Optional<Replacement> replacement = Optional.empty();
    /** Whether the row is being reread from the journal; it does not change meanwhile. */
    boolean rereading;
    /** Consecutive looks at which its nonce was used and no version of it had a receipt. */
    private int timesGone;
    /** Time of the first one of them. */
    private long goneSince;
    /** Whether it was submitted for the first time and no endpoint has answered yet. */
    boolean firstOnItsWay;
    /** Time since which every endpoint has refused it at each attempt; empty once an endpoint has accepted it. */
    OptionalLong refusedSince = OptionalLong.empty();
    /** Versions that an endpoint has accepted, as far as this process knows. */
    final Set<Hash256> accepted = new HashSet<>();
    /** Newest version, when an endpoint has refused it because it does not pay enough more than another one. */
    private Optional<Hash256> outbid = Optional.empty();
    /** Lowest balance of its address, in wei, that an endpoint named at the last attempt to raise the fee; empty: not known. */
    Optional<BigInteger> lowestBalance = Optional.empty();
    /** Submissions of versions that no endpoint has answered yet. */
    int underWay;
    /** Unix seconds after which it is worthless, as set by its owner; unsigned. */
    OptionalLong deadline = OptionalLong.empty();
    /** Time of the last query for the nonces that endpoints name for it. */
    OptionalLong pursuedAt = OptionalLong.empty();
    /** Whether endpoints are being asked for nonces, or copies for those are being made. */
    boolean pursuing;
    /** Time before which no copy is sent, because one was mined and reverted. */
    long pausedUntil = Long.MIN_VALUE;
    /** Nonces to which it was copied because of an endpoint, by the endpoint's name. */
    final Map<String, Set<Long>> followed = new HashMap<>();
    /** Nonce that each endpoint named at the last query. */
    final Map<String, Long> namedBefore = new HashMap<>();
    /** Whether its nonce was unused at the last look. */
    boolean isAhead;
    /** Callers that wait for an endpoint's answer. */
    final List<CompletableFuture<SendRecord>> answers = new ArrayList<>();

    /** Version that is being made, with the callers that wait for it. */
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

    /** A spent nonce is nobody's wish but ours. */
    boolean pushesItself() {
        return row.newest().cancels() || pushing() == Pushing.BY_ITSELF || pushing() == Pushing.URGENTLY;
    }

    /** Whether it does the same as another one. */
    boolean repeats(AccountSend other) {
        return row.call().to().equals(other.call().to())
                && row.call().data().equals(other.call().data())
                && row.order().kind().equals(other.order().kind())
                && isPressing();
    }

    /**
     * Whether a nonce is taken up because of an endpoint. Only when it stands by it: the count of transactions may come before the receipts, and
     * what was mined meanwhile is no other's. Only so many: a liar can name any, and whatever goes out may be mined and fail.
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

    /** Whether its nonce was used by something else, as it seems. A single look may fall between two answers of endpoints that index late. */
    boolean isMissing() {
        return timesGone > 1;
    }

    /** Whether it has been missing for so long that no receipt of it is still to come. */
    boolean isLost(SendPace pace, long now) {
        return isMissing() && now - goneSince >= pace.refused().toMillis();
    }

    /** Whether it is in no block. */
    boolean isWaiting() {
        return row.state() == State.JOURNALLED || row.state() == State.SENT;
    }

    /** Transactions that are being replaced go out with their replacement. */
    boolean mustGoOut(SendPace pace, long now) {
        return !replacing
                && (pushedAt.isEmpty()
                        || now - pushedAt.getAsLong() >= pace.resend().toMillis());
    }

    /** An endpoint has taken it, or refuses it perhaps for nothing but the lower nonce that waits. */
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

    /** Whether an endpoint wants more for a replacement than the newest version pays. */
    boolean isOutbid() {
        return outbid.filter(row.newest().hash()::equals).isPresent();
    }

    /**
     * Whether nobody wants it, ever; whoever does all the same may mine it, which its versions then tell. Claims and refunds never stop. Where its
     * nonce cannot be spent otherwise it goes out again until the next attempt.
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
     * The newest, and the dearest like it that the lowest balance pays, for endpoints that cannot take another one; of what is pressing also the
     * dearest.
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

    /** Age of its newest version, or time since a higher fee was last tried. */
    private long age(long now) {
        return now - Math.max(row.newest().createdAt(), triedAt);
    }

    /** Wei up to its ceiling; none for what is not pressing. */
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

    /** Whether a copy, which waits for nothing of ours, pays more now. */
    boolean mustPayMoreAsCopy(SendPace pace, long now) {
        boolean isClaim = SendKind.valueOf(row.order().kind()) == SendKind.CLAIM;
        return !replacing && age(now) >= (isClaim ? pace.urgent() : pace.stuck()).toMillis();
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
        if (!lowest || age(now) < pace.stuck().toMillis()) {
            return false;
        }
        // An endpoint that hides the head must not hold a refund up.
        boolean isLate = isPressing() && age(now) >= pace.refused().toMillis();
        return isLate || head - headThen >= pace.stuckBlocks();
    }
}
