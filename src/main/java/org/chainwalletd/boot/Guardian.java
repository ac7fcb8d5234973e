package org.chainwalletd.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * Root of all actors. Owns nothing but its children, which it spawns on request and watches. An actor that owns money or keys and stops
 * before the daemon does has lost its state, so the whole process exits and the next start replays the state from disk.
 */
final class Guardian {
    sealed interface Command {}

    /** Request to spawn a child; completes {@code spawned} with its reference. */
    record Spawn<T>(Behavior<T> behavior, String name, CompletableFuture<ActorRef<T>> spawned) implements Command {}

    /** Notice that a thread on which others depend has ended unexpectedly. */
    record ThreadEnded(String name) implements Command {}

    /** Notice that startup has succeeded; from now on no child may stop. */
    record Serving() implements Command {}

    /** Notice that the daemon is stopping; from now on children stop for that reason. */
    record Stopping() implements Command {}

    private final ActorContext<Command> context;
    private final Runnable giveUp;
    private final List<String> lost = new ArrayList<>();

    private Guardian(ActorContext<Command> context, Runnable giveUp) {
        this.context = context;
        this.giveUp = giveUp;
    }

    /** @param giveUp called when a child has stopped while the daemon is serving; must not block */
    static Behavior<Command> create(Runnable giveUp) {
        return Behaviors.setup(context -> new Guardian(context, giveUp).starting());
    }

    /** Spawns a child from outside the actor system and waits for its reference, for the ordered startup. */
    static <T> ActorRef<T> spawn(ActorSystem<Command> system, Behavior<T> behavior, String name) {
        CompletableFuture<ActorRef<T>> spawned = new CompletableFuture<>();
        system.tell(new Spawn<>(behavior, name, spawned));
        try {
            return spawned.get(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting " + name, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("could not start " + name, e);
        }
    }

    /** Behavior during startup: the code that starts a child learns the cause of a failure from the child itself. */
    private Behavior<Command> starting() {
        return running(lost::add);
    }

    private Behavior<Command> serving() {
        lost.forEach(this::report);
        return running(this::report);
    }

    /** @param ended receives the name of a child or thread that has ended */
    private Behavior<Command> running(Consumer<String> ended) {
        return Behaviors.receive(Command.class)
                .onMessage(Spawn.class, this::onSpawn)
                .onMessage(Serving.class, serving -> serving())
                .onMessage(ThreadEnded.class, thread -> onEnded(ended, thread.name()))
                .onMessage(Stopping.class, stopping -> stopping())
                .onSignal(
                        Terminated.class,
                        child -> onEnded(ended, child.getRef().path().name()))
                .build();
    }

    private static Behavior<Command> onEnded(Consumer<String> ended, String name) {
        ended.accept(name);
        return Behaviors.same();
    }

    private Behavior<Command> stopping() {
        return Behaviors.receive(Command.class)
                .onMessage(ThreadEnded.class, ended -> Behaviors.same())
                .onSignal(Terminated.class, terminated -> Behaviors.same())
                .build();
    }

    private Behavior<Command> onSpawn(Spawn<?> spawn) {
        spawnAndWatch(spawn);
        return Behaviors.same();
    }

    private <T> void spawnAndWatch(Spawn<T> spawn) {
        ActorRef<T> child = context.spawn(spawn.behavior(), spawn.name());
        context.watch(child);
        spawn.spawned().complete(child);
    }

    private void report(String child) {
        context.getLog().error("{} stopped unexpectedly; the daemon exits", child);
        giveUp.run();
    }
}
