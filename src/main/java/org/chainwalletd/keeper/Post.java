package org.chainwalletd.keeper;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The address of one kind of background work. Passes what it is told on to an actor of its own, which it begins and ends on command; without
 * one it hands it to whoever answers then. Ends when that actor ends by itself.
 *
 * @param <T> what the work is told
 */
final class Post<T> {
    /** The actor is begun when this is done. */
    record Start(CompletableFuture<Void> done) {}

    /** The actor has ended when this is done, after all that was told before. */
    record Stop(CompletableFuture<Void> done) {}

    /** The last message of an actor. */
    private enum Last {
        MESSAGE
    }

    private final ActorContext<Object> context;
    private final Behavior<T> work;
    private final Consumer<? super T> whileStopped;
    private long begun;

    private Post(ActorContext<Object> context, Behavior<T> work, Consumer<? super T> whileStopped) {
        this.context = context;
        this.work = work;
        this.whileStopped = whileStopped;
    }

    static <T> Behavior<Object> create(Behavior<T> work, Consumer<? super T> whileStopped) {
        return Behaviors.setup(context -> new Post<>(context, work, whileStopped).stopped());
    }

    private Behavior<Object> stopped() {
        return Behaviors.receive(Object.class)
                .onMessage(Start.class, this::start)
                .onMessage(Stop.class, stop -> done(stop.done()))
                .onAnyMessage(this::refuse)
                .build();
    }

    private Behavior<Object> running(ActorRef<Object> actor) {
        return Behaviors.receive(Object.class)
                .onMessage(Start.class, start -> done(start.done()))
                .onMessage(Stop.class, stop -> stop(actor, stop))
                .onAnyMessage(message -> pass(actor, message))
                .onSignal(Terminated.class, this::lost)
                .build();
    }

    /** What comes meanwhile waits: it must not be answered beside the actor. */
    private Behavior<Object> stopping(Stop stop, Deque<Object> waiting) {
        return Behaviors.receive(Object.class)
                .onMessage(Start.class, start -> done(start.done(), new IllegalStateException("it is stopping")))
                .onAnyMessage(message -> {
                    waiting.add(message);
                    return Behaviors.same();
                })
                .onSignal(Terminated.class, ended -> {
                    waiting.forEach(this::refuse);
                    stop.done().complete(null);
                    return stopped();
                })
                .build();
    }

    private Behavior<Object> start(Start start) {
        ActorRef<Object> actor =
                context.spawn(Behaviors.intercept(() -> new EndsWithLast<>(), work), "life-" + ++begun);
        context.watch(actor);
        start.done().complete(null);
        return running(actor);
    }

    private Behavior<Object> stop(ActorRef<Object> actor, Stop stop) {
        actor.tell(Last.MESSAGE);
        return stopping(stop, new ArrayDeque<>());
    }

    private static Behavior<Object> done(CompletableFuture<Void> done) {
        done.complete(null);
        return Behaviors.same();
    }

    private static Behavior<Object> done(CompletableFuture<Void> done, RuntimeException failure) {
        done.completeExceptionally(failure);
        return Behaviors.same();
    }

    private static Behavior<Object> pass(ActorRef<Object> actor, Object message) {
        actor.tell(message);
        return Behaviors.same();
    }

    @SuppressWarnings("unchecked")
    private Behavior<Object> refuse(Object message) {
        whileStopped.accept((T) message);
        return Behaviors.same();
    }

    private Behavior<Object> lost(Terminated terminated) {
        context.getLog().error("{} ended by itself", context.getSelf().path().name());
        return Behaviors.stopped();
    }

    /** Ends an actor at the {@link Last} message, which it does not see. */
    private static final class EndsWithLast<T> extends BehaviorInterceptor<Object, T> {
        EndsWithLast() {
            super(Object.class);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Behavior<T> aroundReceive(TypedActorContext<Object> context, Object message, ReceiveTarget<T> target) {
            return message == Last.MESSAGE ? Behaviors.stopped() : target.apply(context, (T) message);
        }
    }
}
