package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.testkit.Await;

/** Payments identified by a number, which determines their transaction, token and coin. */
public final class Payments {
    private Payments() {}

    public static Intent payment(int number) {
        return intent(number, Optional.of("token-" + number), number);
    }

    public static CompletionStage<Opening> asked(Store store, int number) {
        return store.intents().open(payment(number), 0);
    }

    public static void pay(Store store, int number) {
        assertThat(done(asked(store, number))).isInstanceOf(Opening.Opened.class);
    }

    public static void accept(Store store, int number) {
        assertThat(done(store.intents().accept(hash(number), Set.of(IntentState.PREPARED), 50)))
                .isInstanceOf(IntentStore.Transition.Made.class);
    }

    public static Intent spend(Store store, int number) {
        return done(store.intents().find(hash(number))).orElseThrow();
    }

    /** Asserts that each token is bound to its first payment with its bytes, and that the store does not pay it again. */
    public static void assertBound(Store store, Iterable<Integer> numbers) {
        numbers.forEach(number -> assertBound(store, number));
    }

    public static void assertBound(Store store, int number) {
        assertThat(spend(store, number).transaction()).isEqualTo(payment(number).transaction());
        assertThat(done(store.intents()
                        .open(intent(5_000 + number, Optional.of("token-" + number), 5_000 + number), 0)))
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
