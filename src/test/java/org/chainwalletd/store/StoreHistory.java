package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.outpoint;

import java.math.BigInteger;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.testkit.HangWatch;

/**
 * A random history of operations on a store and its {@link StoreModel}. Few transactions, coins and tokens are used, so that they collide often. The
 * results of each step must agree, and every few steps all readable data is compared.
 */
public final class StoreHistory {
    private static final int TRANSACTIONS = 12;
    private static final int COINS = 8;
    private static final int TOKENS = 5;

    private final Random random;
    private final UnaryOperator<Store> restart;
    private final StoreModel model = new StoreModel();
    private Store store;
    private IntentState lastBefore;
    private long now = 1_800_000_000_000L;
    /** Released or removed uses of minutes that still count, which the store may not subtract exactly. */
    private BigInteger mayStillCount = BigInteger.ZERO;

    public StoreHistory(Store store, UnaryOperator<Store> restart, Random random) {
        this.store = store;
        this.restart = restart;
        this.random = random;
    }

    /** Runs the history; returns the store as of the end, which the caller closes. */
    public Store run(int steps) {
        for (int i = 0; i < steps; i++) {
            HangWatch.alive();
            now += 1 + random.nextInt(20_000);
            step();
            if (i % 10 == 0) {
                compareReads();
            }
        }
        compareReads();
        return store;
    }

    private void step() {
        Hash256 tx = hash(random.nextInt(TRANSACTIONS));
        switch (random.nextInt(15)) {
            case 0, 1, 2, 3 -> open();
            case 4 -> reopen(tx);
            case 5 -> accept(tx);
            case 6 -> fail(tx);
            case 7, 8 -> confirm(tx);
            case 9 ->
                assertThat(comparable(done(store.intents().unconfirm(tx, now))))
                        .isEqualTo(comparable(model.unconfirm(tx, now)));
            case 10 -> bury(tx);
            case 11 -> same(store.reservations().end(tx, before()), before -> model.end(tx, before));
            case 12 -> reserveOrAbandon(tx);
            case 13 -> abandonCoins(tx);
            default -> restartOrForget();
        }
    }

    private IntentState before() {
        lastBefore = random.nextInt(3) == 0
                ? IntentState.values()[random.nextInt(IntentState.values().length)]
                : IntentState.PREPARED;
        return lastBefore;
    }

    /** A change applied to the model. */
    @FunctionalInterface
    private interface ModelChange {
        Transition make(IntentState before);
    }

    private void same(CompletionStage<Transition> made, ModelChange expected) {
        assertThat(comparable(done(made))).isEqualTo(comparable(expected.make(lastBefore)));
    }

    private void open() {
        int number = random.nextInt(TRANSACTIONS);
        Optional<String> token = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(token());
        int first = number % COINS;
        int[] coins = number % 3 == 0 ? new int[] {first} : new int[] {first, (first + 1 + number % 2) % COINS};
        Intent intent = StoreSample.madeAt(now, StoreSample.intent(number, token, coins));
        long closedBefore = now - random.nextInt(200_000);

        Opening opening = done(store.intents().open(intent, closedBefore));

        assertThat(comparable(opening)).isEqualTo(comparable(model.open(intent, closedBefore)));
    }

    private String token() {
        return "token-" + random.nextInt(TOKENS);
    }

    private void reopen(Hash256 tx) {
        Optional<Intent> found = model.find(tx);
        if (found.isPresent()) {
            Intent known = random.nextInt(4) == 0 ? found.get().in(IntentState.CONFLICTED, "", now) : found.get();
            assertThat(comparable(done(store.intents().reopen(known, now))))
                    .isEqualTo(comparable(model.reopen(known, now)));
        }
    }

    private void fail(Hash256 tx) {
        IntentState outcome = random.nextBoolean() ? IntentState.REFUSED : IntentState.CONFLICTED;
        same(
                store.intents().fail(tx, before(), outcome, "no", now),
                before -> model.fail(tx, before, outcome, "no", now));
    }

    /** Accepts from one or two expected states. */
    private void accept(Hash256 tx) {
        IntentState other = before();
        same(
                store.intents().accept(tx, EnumSet.of(other, before()), now),
                before -> model.accept(tx, EnumSet.of(other, before), now));
    }

    private void confirm(Hash256 tx) {
        BlockPlace place = new BlockPlace(random.nextInt(100), hash(random.nextInt()));
        same(store.intents().confirm(tx, before(), place, now), before -> model.confirm(tx, before, place, now));
    }

    private void bury(Hash256 tx) {
        done(store.intents().bury(List.of(tx)));
        model.bury(tx);
    }

    private void reserveOrAbandon(Hash256 tx) {
        if (random.nextBoolean()) {
            lastBefore = IntentState.PREPARED;
            same(store.reservations().reserveAgain(tx), before -> model.reserveAgain(tx));
        } else {
            same(store.intents().abandon(tx, "given up", now), before -> model.abandon(tx, "given up", now));
        }
    }

    /** Abandons two coins, mostly named with the spend that holds them, sometimes with another. */
    private void abandonCoins(Hash256 tx) {
        Map<Hash256, Set<Outpoint>> named = new HashMap<>();
        for (int i = 0; i < 2; i++) {
            Outpoint coin = outpoint(random.nextInt(COINS));
            Hash256 holder = model.reservations().stream()
                    .filter(held -> held.coin().outpoint().equals(coin) && random.nextInt(4) > 0)
                    .map(ReservationStore.Reservation::txId)
                    .findFirst()
                    .orElse(tx);
            named.computeIfAbsent(holder, none -> new HashSet<>()).add(coin);
        }
        assertThat(new HashSet<>(done(store.reservations().abandon(named)))).isEqualTo(model.abandon(named));
    }

    private void restartOrForget() {
        if (random.nextBoolean()) {
            store = restart.apply(store);
            return;
        }
        long before = now - random.nextInt(400_000);
        int most = 1 + random.nextInt(3);
        BigInteger used = model.usedSince(0);
        assertThat(done(store.intents().forget(before, most))).isEqualTo(model.forget(before, most));
        mayStillCount = mayStillCount.add(used.subtract(model.usedSince(0)));
    }

    private void compareReads() {
        for (int i = 0; i < TRANSACTIONS; i++) {
            assertThat(comparable(done(store.intents().find(hash(i))))).isEqualTo(comparable(model.find(hash(i))));
        }
        for (int i = 0; i < TOKENS; i++) {
            long closedBefore = now - random.nextInt(200_000);
            assertThat(comparable(done(store.receipts().find("token-" + i, closedBefore))))
                    .isEqualTo(
                            comparable(model.bound("token-" + i, closedBefore).map(spend -> spend.intent)));
        }
        assertThat(done(store.intents().inFlight()).stream().map(StoreHistory::comparable))
                .containsExactlyElementsOf(
                        model.inFlight().stream().map(StoreHistory::comparable).toList());
        assertThat(Set.copyOf(done(store.reservations().all()))).isEqualTo(model.reservations());
        assertThat(Set.copyOf(done(store.intents().unburied()))).isEqualTo(model.unburied());
        compareAllowance(now - random.nextInt(600_000));
        compareAllowance(0);
    }

    /** The store's sum must be at least the exact one to the millisecond, and at most that of whole minutes. */
    private void compareAllowance(long since) {
        BigInteger sum = BigInteger.ZERO;
        for (AllowanceStore.Minute minute : done(store.allowance().spentSince(since))) {
            sum = sum.add(minute.amount());
        }
        long minuteStart = since / AllowanceStore.MINUTE_MILLIS * AllowanceStore.MINUTE_MILLIS;
        assertThat(sum)
                .isBetween(model.usedSince(since), model.usedSince(minuteStart).add(mayStillCount));
    }

    /** Ignores whether a mempool has the spend and since when: a restart may lose that. */
    private static Intent comparable(Intent intent) {
        return intent.state().inFlight() ? intent.in(IntentState.PREPARED, "", 0) : intent;
    }

    private static Optional<Intent> comparable(Optional<Intent> intent) {
        return intent.map(StoreHistory::comparable);
    }

    private static Optional<IntentState> comparableState(Optional<IntentState> state) {
        return state.map(known -> known.inFlight() ? IntentState.PREPARED : known);
    }

    private static Transition comparable(Transition transition) {
        return transition instanceof Transition.Stale stale
                ? new Transition.Stale(comparableState(stale.found()))
                : transition;
    }

    private static Unconfirmation comparable(Unconfirmation answer) {
        return answer instanceof Unconfirmation.NotConfirmed not
                ? new Unconfirmation.NotConfirmed(comparableState(not.found()))
                : new Unconfirmation.BackInFlight(comparable(((Unconfirmation.BackInFlight) answer).intent()));
    }

    private static Opening comparable(Opening opening) {
        if (opening instanceof Opening.SameTransaction same) {
            return new Opening.SameTransaction(comparable(same.there()));
        }
        return opening instanceof Opening.Moved moved ? new Opening.Moved(comparableState(moved.found())) : opening;
    }
}
