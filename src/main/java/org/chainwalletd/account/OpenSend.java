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
    /** Time of the last submission to endpoints; empty if it is to be submitted at the next look. */
    OptionalLong pushedAt = OptionalLong.empty();
    /** Height of the chain when this actor first saw the newest version; 0 if unknown. */
    long headThen;
    /** Time of the last attempt to raise the fee, even if the ceiling did not permit a raise. */
    long triedAt;
    /** Whether a replacement with a higher fee is in preparation. */
    boolean replacing;
    /** Replacement in preparation, with the callers that wait for it. */
    Optional<Replacement> replacement = Optional.empty();
    /** Whether the row is being reread from the journal; its state does not change meanwhile. */
    boolean rereading;
    /** Number of consecutive looks at which its nonce was used without a receipt of any of its versions. */
    private int looksMissing;
    /** Time of the first of these looks. */
    private long missingSince;
    /** Whether it was submitted for the first time and no endpoint has answered yet. */
    boolean isFirstSubmission;
    /** Time since which every endpoint has refused it at each attempt; empty once an endpoint has accepted it. */
    OptionalLong refusedSince = OptionalLong.empty();
    /** Versions that an endpoint has accepted, as far as this process knows. */
    final Set<Hash256> accepted = new HashSet<>();
    /** Version that an endpoint has refused as a replacement because its fee is not high enough; empty if there is none. */
    private Optional<Hash256> outbid = Optional.empty();
    /** Lowest balance of its address, in wei, that an endpoint reported at the last attempt to raise the fee; empty if unknown. */
    Optional<BigInteger> lowestBalance = Optional.empty();
    /** Number of submissions of its versions that no endpoint has answered yet. */
    int pendingSubmissions;
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

    /** Whether the daemon resends it on its own, as it does for every transaction that only uses up a nonce; otherwise its owner pushes it. */
    boolean pushesItself() {
        return row.newest().cancels() || pushing() == Pushing.BY_ITSELF || pushing() == Pushing.URGENTLY;
    }

    /** Whether it is a claim or a refund that makes the same call as another send. */
    boolean repeats(AccountSend other) {
        return row.call().to().equals(other.call().to())
                && row.call().data().equals(other.call().data())
                && row.order().kind().equals(other.order().kind())
                && isPressing();
    }

    /**
     * Whether a nonce that an endpoint reports is used for a copy. The endpoint must report it twice in succession: its transaction count may be
     * ahead of its receipts, and then a mined transaction of ours explains the first report. The number of such nonces is bounded, because an
     * endpoint that returns false data can report any nonce, and each copy may be mined and revert.
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
        looksMissing = 0;
    }

    void nonceUsed(long now) {
        missingSince = looksMissing == 0 ? now : missingSince;
        looksMissing++;
    }

    /**
     * Whether another transaction seems to have used its nonce. Requires more than one look, because an endpoint may index receipts later than
     * transaction counts.
     */
    boolean isMissing() {
        return looksMissing > 1;
    }

    /** Whether it has been missing for so long that a receipt is no longer expected. */
    boolean isLost(SendPace pace, long now) {
        return isMissing() && now - missingSince >= pace.refused().toMillis();
    }

    /** Whether it is not in a block. */
    boolean isWaiting() {
        return row.state() == State.JOURNALLED || row.state() == State.SENT;
    }

    /** Whether it must be sent again now. Not while a replacement is in preparation, because that is sent with it. */
    boolean mustResend(SendPace pace, long now) {
        return !replacing
                && (pushedAt.isEmpty()
                        || now - pushedAt.getAsLong() >= pace.resend().toMillis());
    }

    /** Forgets refusals: an endpoint has accepted it, or may have refused it only because a lower nonce still waits. */
    void forgetRefusals() {
        refusedSince = OptionalLong.empty();
    }

    void notAccepted(Hash256 version, Throwable why, long now) {
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

    /** Whether an endpoint has refused the newest version because a replacement must pay more. */
    boolean isOutbid() {
        return outbid.filter(row.newest().hash()::equals).isPresent();
    }

    /**
     * Whether every endpoint has refused it for so long that it is abandoned; if it is mined nevertheless, the receipt of one of its versions shows
     * that. Claims and refunds are never abandoned. While no transaction to ourselves can be made, it is resent between two attempts.
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
     * Returns the versions to send: the newest one, and the most expensive one of its kind that the lowest reported balance can pay, for endpoints
     * that accept no other. For claims and refunds also the most expensive one and, while no balance is known, the newest ones up to
     * {@link #MOST_AT_ONCE}.
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

    /** Returns the wei by which its fee may still rise to its ceiling; zero for sends that are not pressing. */
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

    /** Whether the fee of a copy must be raised now. A copy does not wait for other sends of ours. */
    boolean mustPayMoreAsCopy(SendPace pace, long now) {
        boolean isClaim = SendKind.valueOf(row.order().kind()) == SendKind.CLAIM;
        return !replacing && age(now) >= (isClaim ? pace.urgent() : pace.stuck()).toMillis();
    }

    /** Whether it delays an urgent send with a higher nonce and a higher tip. */
    boolean isInTheWayOf(OpenSend urgent, SendPace pace, long now) {
        return !replacing
                && urgent.row.nonce() > row.nonce()
                && urgent.row.newest().tip().compareTo(row.newest().tip()) > 0
                && age(now) >= pace.urgent().toMillis();
    }

    /** Whether its owner has not had it mined or abandoned for so long that other sends no longer wait for the owner. */
    boolean isLeftBehind(SendPace pace, long now) {
        return !replacing && !pushesItself() && age(now) >= pace.stuck().toMillis();
    }

    /**
     * Whether its fee must be raised now.
     *
     * @param lowest whether no other send of its address waits at a lower nonce
     */
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
