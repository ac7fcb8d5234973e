package org.chainwalletd.stage;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/** Outcome of a stage in the form in which a message brings it to an actor: a value or a failure, one of the two for certain. */
public sealed interface Outcome<T> {
    /** @param result null only where there is none to tell, of a {@code Void} */
    record Done<T>(T result) implements Outcome<T> {}

    /** @param cause without what stages wrap around it */
    record Failed<T>(Throwable cause) implements Outcome<T> {}

    /** Makes it of the two arguments with which a stage calls back, see {@link java.util.concurrent.CompletionStage#handle}. */
    static <T> Outcome<T> of(T value, Throwable failure) {
        return failure == null ? new Done<>(value) : new Failed<>(Causes.of(failure));
    }

    /** Has the actor of {@code context} receive the outcome of {@code stage} in a message. Called on the actor's own thread. */
    static <C, T> void pipe(
            ActorContext<C> context, CompletionStage<T> stage, Function<? super Outcome<T>, ? extends C> message) {
        context.pipeToSelf(stage, (value, failure) -> message.apply(Outcome.of(value, failure)));
    }

    /** Does the one or the other. */
    default void match(Consumer<? super T> done, Consumer<? super Throwable> failed) {
        if (this instanceof Done<T> it) {
            done.accept(it.result());
        } else if (this instanceof Failed<T> it) {
            failed.accept(it.cause());
        }
    }

    /** Applies the one or the other function. */
    default <R> R fold(Function<? super T, ? extends R> done, Function<? super Throwable, ? extends R> failed) {
        if (this instanceof Done<T> it) {
            return done.apply(it.result());
        } else if (this instanceof Failed<T> it) {
            return failed.apply(it.cause());
        } else {
            throw new AssertionError(this);
        }
    }

    /** Returns this outcome with the value mapped by {@code change}. */
    default <R> Outcome<R> map(Function<? super T, ? extends R> change) {
        return fold(value -> new Done<>(change.apply(value)), Failed::new);
    }

    /** Empty after a success. */
    default Optional<Throwable> failure() {
        return this instanceof Failed<T> failed ? Optional.of(failed.cause()) : Optional.empty();
    }

    /** Empty after a failure, and where there is no value to tell. */
    default Optional<T> value() {
        return this instanceof Done<T> done ? Optional.ofNullable(done.result()) : Optional.empty();
    }
}
