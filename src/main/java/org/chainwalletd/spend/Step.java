package org.chainwalletd.spend;

import java.util.function.Function;

/** What a {@link Spend} wants next. */
sealed interface Step {
    /**
     * Something is asked of the world; exactly one of the two functions says what follows.
     *
     * @param then with the answer
     * @param otherwise with the failure, unwrapped
     */
    record Ask<A>(Act<A> act, Function<A, Step> then, Function<Throwable, Step> otherwise) implements Step {}

    /** It is over. */
    record End(Ending ending) implements Step {}

    static <A> Step ask(Act<A> act, Function<A, Step> then, Function<Throwable, Step> otherwise) {
        return new Ask<>(act, then, otherwise);
    }

    static Step end(Ending ending) {
        return new End(ending);
    }
}
