package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.testkit.Await;

/** Payments identified by a number, which determines their transaction, token and coin. */
public final class Payments {
    private Payments() {}

    public static Intent payment(int number) {
        return intent(number, "token-" + number, number);
    }

    public static CompletionStage<Opening> asked(Store store, int number) {
        return store.intents().open(payment(number), 0);
    }

    public static void pay(Store store, int number) {
        pay(store, payment(number));
    }

    public static Intent pay(Store store, Intent intent) {
        assertThat(opening(store, intent)).isInstanceOf(Opening.Opened.class);
        return intent;
    }

    /** Opens a spend; no token has expired. */
    public static Opening opening(Store store, Intent intent) {
        return done(store.intents().open(intent, 0));
    }

    public static void accept(Store store, int number) {
        assertThat(done(store.intents().accept(hash(number), Set.of(IntentState.PREPARED), 50)))
                .isInstanceOf(Transition.Made.class);
    }

    /** Closes a spend in flight whose bytes never left. */
    public static Transition fail(Store store, Hash256 txId, IntentState outcome, long now) {
        return done(store.intents().fail(txId, IntentState.PREPARED, outcome, "no", now));
    }

    /** Closes a spend in flight that nodes have refused. */
    public static Transition failSent(Store store, Hash256 txId, IntentState outcome, long now) {
        return done(store.intents().failSent(txId, IntentState.PREPARED, outcome, "no", now));
    }

    /** Closes a spend in flight whose coin another transaction has spent. */
    public static Transition failConflicted(Store store, Hash256 txId, long now) {
        return done(store.intents().failSent(txId, IntentState.PREPARED, IntentState.CONFLICTED, "spent", now));
    }

    /** Confirms a spend in flight, in block 9. */
    public static Transition confirm(Store store, Hash256 txId, long now) {
        return done(store.intents().confirm(txId, IntentState.PREPARED, new BlockPlace(9, hash(9)), now));
    }

    public static void bury(Store store, Hash256 txId) {
        done(store.intents().bury(List.of(txId)));
    }

    public static Optional<Intent> found(Store store, Hash256 txId) {
        return done(store.intents().find(txId));
    }

    public static IntentState stateOf(Store store, Hash256 txId) {
        return found(store, txId).orElseThrow().state();
    }

    /** Finds the spend that a token is bound to; no token has expired. */
    public static Optional<Intent> spendOfToken(Store store, String token) {
        return done(store.receipts().find(token, 0));
    }

    public static List<Intent> inFlight(Store store) {
        return done(store.intents().inFlight());
    }

    public static List<ReservationStore.Reservation> reserved(Store store) {
        return done(store.reservations().all());
    }

    public static Intent spend(Store store, int number) {
        return found(store, hash(number)).orElseThrow();
    }

    /** Asserts that each token is bound to its first payment with its bytes, and that the store does not pay it again. */
    public static void assertBound(Store store, Iterable<Integer> numbers) {
        numbers.forEach(number -> assertBound(store, number));
    }

    public static void assertBound(Store store, int number) {
        assertThat(spend(store, number).transaction()).isEqualTo(payment(number).transaction());
        assertThat(opening(store, intent(5_000 + number, "token-" + number, 5_000 + number)))
                .as("token-" + number)
                .isEqualTo(new Opening.TokenTaken(hash(number)));
    }

    public static SpendHistory.PastSpend told(Store store, int number) {
        return done(store.history().ofTransaction(hash(number))).orElseThrow();
    }

    /** Returns the reason for which the store refused or failed. */
    public static StoreException.Reason reasonOf(CompletionStage<?> written) {
        StoreException[] failure = new StoreException[1];
        assertThatThrownBy(() -> Await.result(written))
                .cause()
                .isInstanceOfSatisfying(StoreException.class, found -> failure[0] = found);
        return failure[0].reason();
    }

    public static void assertAnswer(CompletionStage<?> stage, Class<?> kind) {
        assertThat(done(stage)).isInstanceOf(kind);
    }

    public static void assertFails(CompletionStage<?> stage, StoreException.Reason reason) {
        assertThat(reasonOf(stage)).isEqualTo(reason);
    }
}
