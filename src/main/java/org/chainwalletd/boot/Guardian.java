package org.chainwalletd.boot;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * The root of all actors. Owns nothing but its children: it spawns them on request and watches them. An owner of money or keys that stops
 * before the daemon does has lost its state, so the whole process gives up and lets the next start replay what is on disk.
 */
final class Guardian extends AbstractBehavior<Guardian.Command> {
    sealed interface Command {}

    /** Spawns a child and hands out its reference. */
    record Spawn<T>(Behavior<T> behavior, String name, CompletableFuture<ActorRef<T>> spawned) implements Command {}

    /** From here on children end because the daemon stops. */
    record Stopping() implements Command {}

    private final Runnable giveUp;

    private Guardian(ActorContext<Command> context, Runnable giveUp) {
        super(context);
        this.giveUp = giveUp;
    }

    /**
     * @param giveUp called when a child has died; must not block
     */
    static Behavior<Command> create(Runnable giveUp) {
        return Behaviors.setup(context -> new Guardian(context, giveUp));
    }

    /** Spawns from outside and waits, for the ordered start. */
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

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Spawn.class, this::onSpawn)
                .onMessage(Stopping.class, stopping -> stopping())
                .onSignal(Terminated.class, this::onTerminated)
                .build();
    }

    private Behavior<Command> onSpawn(Spawn<?> spawn) {
        spawnAndWatch(spawn);
        return this;
    }

    private <T> void spawnAndWatch(Spawn<T> spawn) {
        ActorRef<T> child = getContext().spawn(spawn.behavior(), spawn.name());
        getContext().watch(child);
        spawn.spawned().complete(child);
    }

    private Behavior<Command> onTerminated(Terminated terminated) {
        getContext()
                .getLog()
                .error(
                        "{} stopped unexpectedly; the daemon gives up",
                        terminated.getRef().path().name());
        giveUp.run();
        return this;
    }

    private Behavior<Command> stopping() {
        return Behaviors.receive(Command.class)
                .onMessage(Spawn.class, this::onSpawn)
                .onSignal(Terminated.class, terminated -> Behaviors.same())
                .build();
    }
}
