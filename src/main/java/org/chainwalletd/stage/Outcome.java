package org.chainwalletd.stage;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/** Outcome of a stage, as a message can carry it to an actor: either a value or a failure. */
public sealed interface Outcome<T> {
    /** @param result null only for a stage without a value ({@code Void}) */
    record Done<T>(T result) implements Outcome<T> {}

    /** @param cause without the wrappers that stages add */
    record Failed<T>(Throwable cause) implements Outcome<T> {}

    /** Creates an outcome from the two callback arguments of a stage, see {@link java.util.concurrent.CompletionStage#handle}. */
    static <T> Outcome<T> of(T value, Throwable failure) {
        return failure == null ? new Done<>(value) : new Failed<>(Causes.of(failure));
    }

    /** Sends the outcome of {@code stage} to the actor of {@code context} as a message. Must be called on the actor's thread. */
    static <C, T> void pipe(
            ActorContext<C> context, CompletionStage<T> stage, Function<? super Outcome<T>, ? extends C> message) {
        context.pipeToSelf(stage, (value, failure) -> message.apply(Outcome.of(value, failure)));
    }

    /** Calls {@code done} with the value or {@code failed} with the cause. */
    default void match(Consumer<? super T> done, Consumer<? super Throwable> failed) {
        if (this instanceof Done<T> it) {
            done.accept(it.result());
        } else if (this instanceof Failed<T> it) {
            failed.accept(it.cause());
        }
    }

    /** Returns the result of {@code done} for a value, or of {@code failed} for a failure. */
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

    /** Returns the cause of a failure; empty after a success. */
    default Optional<Throwable> failure() {
        return this instanceof Failed<T> failed ? Optional.of(failed.cause()) : Optional.empty();
    }

    /** Returns the value; empty after a failure, and after a success without a value. */
    default Optional<T> value() {
        return this instanceof Done<T> done ? Optional.ofNullable(done.result()) : Optional.empty();
    }
}
