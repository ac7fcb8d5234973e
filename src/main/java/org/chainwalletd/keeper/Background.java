package org.chainwalletd.keeper;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.StoreException;
import org.slf4j.event.Level;

/** Starts background work: under the {@link Keeper}, or in tests of one kind of work under a test kit. */
public interface Background {
    /**
     * Gives work a permanent actor reference. The actor behind it stops when background work is stopped, after all earlier messages, and
     * starts anew from stored state when background work is started.
     *
     * @param name unique
     * @param whileStopped handles messages while there is no actor; never runs concurrently with the actor, must not block, and must answer
     *     waiting callers
     */
    <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped);

    /**
     * Gives work a permanent actor reference, with a stand-in actor behind it while background work is stopped. Each of the two starts only
     * after the other has stopped and processed all earlier messages, so both may own the same state.
     *
     * @param name unique
     * @param standIn started at once, while the work does not run
     */
    default <T> ActorRef<T> begin(String name, Behavior<T> work, Behavior<T> standIn) {
        return begin(name, work, message -> {});
    }

    /** Answer to a call that needs background work while it is stopped: nothing was started, and the call can be repeated. */
    static StoreException stopped() {
        return StoreException.notKeeper();
    }

    /**
     * Whether a failure only means that this daemon does not do the background work, or no longer does: then it is no error, and another
     * daemon does the work.
     */
    static boolean isStopped(Throwable failure) {
        return Causes.of(failure) instanceof StoreException store && store.reason() == StoreException.Reason.NOT_KEEPER;
    }

    /** Log level for a failure that would otherwise be a warning: every action of a former keeper fails until the keeper is told to stop. */
    static Level levelOf(Throwable failure) {
        return isStopped(failure) ? Level.DEBUG : Level.WARN;
    }

    /** Answers a call with {@link #stopped}. */
    static void refuse(CompletableFuture<?> reply) {
        reply.completeExceptionally(stopped());
    }
}
