package org.chainwalletd.keeper;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.StoreException;
import org.slf4j.event.Level;

/** Where background work is begun: under the {@link Keeper}, or, in tests of one kind of it, under a test kit. */
public interface Background {
    /**
     * Gives work an address that stays. The actor behind it ends when background work is stopped, after all that was told before, and begins
     * anew, from what is stored, when background work is started.
     *
     * @param name unique
     * @param whileStopped given what is told while there is no actor; never runs beside the actor, must not block, and answers whoever waits
     */
    <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped);

    /**
     * Gives work an address that stays, and behind it another actor while background work is stopped. One of the two begins when the other has
     * ended, after all that was told before: so both may own the same state.
     *
     * @param name unique
     * @param standIn begins at once, when the work does not run
     */
    default <T> ActorRef<T> begin(String name, Behavior<T> work, Behavior<T> standIn) {
        return begin(name, work, message -> {});
    }

    /** Answer to a call that needs background work while it is stopped: nothing was begun, and the call can be repeated. */
    static StoreException stopped() {
        return StoreException.notKeeper();
    }

    /**
     * Tells whether something failed because this daemon does not do the background work, or does it no more: then it is no error, and is done
     * elsewhere.
     */
    static boolean isStopped(Throwable failure) {
        return Causes.of(failure) instanceof StoreException store && store.reason() == StoreException.Reason.NOT_KEEPER;
    }

    /** The level at which a failure is logged that would be a warning: each act of a former keeper fails until it is told to stop. */
    static Level levelOf(Throwable failure) {
        return isStopped(failure) ? Level.DEBUG : Level.WARN;
    }

    /** Answers a call with {@link #stopped}. */
    static void refuse(CompletableFuture<?> reply) {
        reply.completeExceptionally(stopped());
    }
}
