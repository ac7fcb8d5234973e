package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;

/** Reference model of a store, as simple as possible: maps and loops. */
final class StoreModel {
    /** A spend. */
    static final class Spend {
        Intent intent;
        final Set<Coin> held = new LinkedHashSet<>();
        OptionalLong countedAt;
        Optional<BlockPlace> place = Optional.empty();
        boolean buried;
        boolean bound;
        /** First spend of the payment that it was rebuilt for, or itself. */
        Spend first = this;

        private Spend(Intent intent) {
            this.intent = intent;
            this.bound = intent.token().isPresent();
            this.countedAt = OptionalLong.of(intent.createdAt());
        }

        private boolean isClosed() {
            return held.isEmpty() && buried && (intent.state().failed() || intent.state() == IntentState.CONFIRMED);
        }

        private boolean isLostForGood() {
            return held.isEmpty() && buried && intent.state().failed();
        }

        private void enter(IntentState state, String reason, long now) {
            intent = intent.in(state, reason, now);
        }
    }

    private final Map<Hash256, Spend> spends = new HashMap<>();
    /** Removed spends that were in blocks. */
    private final Set<Hash256> mined = new HashSet<>();

    Opening open(Intent intent, long closedBefore) {
        Optional<Spend> bound = intent.token().flatMap(token -> bound(token.token(), closedBefore));
        if (bound.isPresent() && !mayBeBuiltAgain(intent, bound.get())) {
            return new Opening.TokenTaken(bound.get().intent.txId());
        }
        Spend there = spends.get(intent.txId());
        if (there != null && there.intent.state() != IntentState.REFUSED) {
            return new Opening.SameTransaction(there.intent);
        }
        if (mined.contains(intent.txId())) {
            return new Opening.CoinTaken(intent.inputs().get(0), intent.txId());
        }
        Optional<Opening> taken = taken(intent, null);
        if (taken.isPresent()) {
            return taken.get();
        }
        bound.ifPresent(lost -> lost.countedAt = OptionalLong.empty());
        Spend spend = new Spend(intent);
        for (Spend earlier : spends.values()) {
            if (earlier.bound && earlier != there && hasToken(earlier, intent)) {
                earlier.bound = false;
                spend.first = isConflicted(earlier, intent) ? earlier.first : spend;
            }
        }
        spend.held.addAll(intent.inputs());
        spends.put(intent.txId(), spend);
        return new Opening.Opened(there != null);
    }

    private static boolean isConflicted(Spend spend, Intent intent) {
        return spend.intent.state() == IntentState.CONFLICTED
                && spend.intent.token().equals(intent.token());
    }

    /** Returns whether no earlier spend of the payment can be mined, or not together with this one. */
    private boolean mayBeBuiltAgain(Intent intent, Spend bound) {
        return isConflicted(bound, intent)
                && spends.values().stream()
                        .filter(spend -> spend.first == bound.first && !spend.isLostForGood())
                        .allMatch(spend -> spend.intent.state().failed()
                                && spend.intent.inputs().stream().anyMatch(intent.inputs()::contains));
    }

    /** A spend in a block takes the token, even if another was built later. */
    private void takeToken(Spend spend) {
        if (spend.bound || spend.intent.token().isEmpty()) {
            return;
        }
        for (Spend other : spends.values()) {
            if (other.bound && other.first == spend.first && hasToken(other, spend.intent)) {
                other.bound = false;
                spend.bound = true;
            }
        }
    }

    private static boolean hasToken(Spend spend, Intent intent) {
        return intent.token().filter(token -> hasToken(spend, token.token())).isPresent();
    }

    private static boolean hasToken(Spend spend, String token) {
        return spend.intent.token().map(TokenBinding::token).equals(Optional.of(token));
    }

    private Optional<Opening> taken(Intent intent, Spend own) {
        for (Coin coin : intent.inputs()) {
            for (Spend other : spends.values()) {
                if (other != own && other.held.contains(coin)) {
                    return Optional.of(new Opening.CoinTaken(coin, other.intent.txId()));
                }
            }
        }
        return Optional.empty();
    }

    Opening reopen(Intent intent, long now) {
        Spend spend = spends.get(intent.txId());
        if (spend != null && !spend.intent.token().equals(intent.token())) {
            return new Opening.SameTransaction(spend.intent);
        }
        if (spend == null
                || spend.intent.state() != intent.state()
                || !intent.state().failed()
                || !spend.bound && intent.token().isPresent()) {
            return new Opening.Moved(Optional.ofNullable(spend).map(found -> found.intent.state()));
        }
        Optional<Opening> taken = taken(intent, spend);
        if (taken.isPresent()) {
            return taken.get();
        }
        spend.enter(IntentState.PREPARED, "", now);
        spend.buried = false;
        spend.held.addAll(intent.inputs());
        spend.countedAt = OptionalLong.of(now);
        return new Opening.Opened(false);
    }

    Transition change(Hash256 txId, IntentState before, Consumer<Spend> change) {
        return change(txId, Set.of(before), change);
    }

    private Transition change(Hash256 txId, Set<IntentState> before, Consumer<Spend> change) {
        Spend spend = spends.get(txId);
        if (spend == null || before.stream().noneMatch(named -> named.isStill(spend.intent.state()))) {
            return new Transition.Stale(Optional.ofNullable(spend).map(found -> found.intent.state()));
        }
        change.accept(spend);
        return new Transition.Made();
    }

    Transition accept(Hash256 txId, Set<IntentState> before, long now) {
        return change(txId, before, spend -> {
            spend.enter(IntentState.ACCEPTED, "", now);
            spend.buried = false;
        });
    }

    Transition fail(Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return change(txId, before, spend -> {
            spend.enter(outcome, reason, now);
            spend.held.clear();
            spend.countedAt = OptionalLong.empty();
            spend.buried = true;
        });
    }

    Transition confirm(Hash256 txId, IntentState before, BlockPlace place, long now) {
        return change(txId, before, spend -> {
            if (spend.intent.state().failed() && spend.countedAt.isEmpty()) {
                spend.countedAt = OptionalLong.of(now);
            }
            if (spend.intent.state() != IntentState.CONFIRMED) {
                spend.enter(IntentState.CONFIRMED, "", now);
            }
            spend.held.clear();
            takeToken(spend);
            spend.place = Optional.of(place);
            spend.buried = false;
        });
    }

    Unconfirmation unconfirm(Hash256 txId, long now) {
        Transition transition = change(txId, IntentState.CONFIRMED, spend -> {
            spend.enter(IntentState.ACCEPTED, "", now);
            spend.buried = false;
            holdFree(spend);
        });
        return transition instanceof Transition.Stale stale
                ? new Unconfirmation.NotConfirmed(stale.found())
                : new Unconfirmation.BackInFlight(spends.get(txId).intent);
    }

    private void holdFree(Spend spend) {
        for (Coin coin : spend.intent.inputs()) {
            if (spends.values().stream().noneMatch(other -> other.held.contains(coin))) {
                spend.held.add(coin);
            }
        }
    }

    Transition reserveAgain(Hash256 txId) {
        return change(txId, IntentState.PREPARED, this::holdFree);
    }

    Transition end(Hash256 txId, IntentState before) {
        return change(txId, before, spend -> spend.held.clear());
    }

    Transition abandon(Hash256 txId, String reason, long now) {
        return change(txId, IntentState.PREPARED, spend -> spend.enter(IntentState.ABANDONED, reason, now));
    }

    Set<ReservationStore.Reservation> abandon(Map<Hash256, Set<Outpoint>> named) {
        Set<ReservationStore.Reservation> ended = new HashSet<>();
        for (Spend spend : spends.values()) {
            Set<Outpoint> outpoints = named.getOrDefault(spend.intent.txId(), Set.of());
            for (Coin coin : List.copyOf(spend.held)) {
                if (outpoints.contains(coin.outpoint()) && !spend.intent.state().inFlight()) {
                    spend.held.remove(coin);
                    ended.add(new ReservationStore.Reservation(coin, spend.intent.txId()));
                }
            }
        }
        return ended;
    }

    void bury(Hash256 txId) {
        Spend spend = spends.get(txId);
        if (spend != null && !spend.intent.state().inFlight() && spend.held.isEmpty()) {
            spend.buried = true;
        }
    }

    int forget(long before, int most) {
        List<Spend> closed = spends.values().stream()
                .filter(spend -> spend.isClosed() && spend.intent.changedAt() < before)
                .sorted(Comparator.<Spend>comparingLong(spend -> spend.intent.changedAt())
                        .thenComparingLong(spend -> spend.intent.createdAt()))
                .limit(most)
                .toList();
        for (Spend spend : closed) {
            spends.remove(spend.intent.txId());
            if (spend.intent.state() == IntentState.CONFIRMED) {
                mined.add(spend.intent.txId());
            }
        }
        return closed.size();
    }

    Optional<Intent> find(Hash256 txId) {
        return Optional.ofNullable(spends.get(txId)).map(spend -> spend.intent);
    }

    Optional<Spend> bound(String token, long closedBefore) {
        return spends.values().stream()
                .filter(spend -> spend.bound && hasToken(spend, token))
                .filter(spend -> !(spend.isClosed() && spend.intent.changedAt() < closedBefore))
                .findFirst();
    }

    List<Intent> inFlight() {
        return spends.values().stream()
                .filter(spend -> spend.intent.state().inFlight() || !spend.held.isEmpty())
                .map(spend -> spend.intent)
                .sorted(Comparator.comparingLong(Intent::createdAt))
                .toList();
    }

    Set<ReservationStore.Reservation> reservations() {
        return spends.values().stream()
                .flatMap(spend ->
                        spend.held.stream().map(coin -> new ReservationStore.Reservation(coin, spend.intent.txId())))
                .collect(Collectors.toSet());
    }

    Set<ConfirmedSpend> unburied() {
        return spends.values().stream()
                .filter(spend -> spend.intent.state() == IntentState.CONFIRMED && !spend.buried)
                .map(spend -> new ConfirmedSpend(spend.intent.txId(), spend.intent.inputs(), spend.place))
                .collect(Collectors.toSet());
    }

    /** Returns the amount used since then by the spends still known, to the millisecond. */
    BigInteger usedSince(long since) {
        return spends.values().stream()
                .filter(spend -> spend.countedAt.isPresent() && spend.countedAt.getAsLong() >= since)
                .map(spend -> spend.intent.allowance().toBigInteger())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }
}
