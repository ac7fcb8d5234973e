package org.chainwalletd.keeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work: following the chain and writing the books, rescans, sending again, burial, swaps. It is one subtree of actors that stops
 * and starts while the daemon serves, because all of it starts from what is stored; what calls need of it meanwhile is refused and can be
 * repeated. With SQLite the one daemon starts it once and never stops it; of several daemons on one store only one has it running.
 *
 * <p>Work is added while the daemon starts, by one thread. {@link #start} and {@link #stop} block, one at a time, on a thread that is no
 * actor's.
 */
public final class Keeper implements Background {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final Duration SWITCHING = Duration.ofSeconds(30);

    /** Makes a child of the keeper's actor. */
    private record Spawn<T>(Behavior<T> behavior, String name, CompletableFuture<ActorRef<T>> spawned) {
        void under(ActorContext<?> context) {
            ActorRef<T> child = context.spawn(behavior, name);
            context.watch(child);
            spawned.complete(child);
        }
    }

    /** One kind of work; those that were added before it run when it starts, and still when it stops. */
    private record Part(String name, Supplier<CompletionStage<Void>> start, Supplier<CompletionStage<Void>> stop) {}

    private final ActorRef<Spawn<?>> parent;
    private final List<Part> parts = new ArrayList<>();
    private volatile boolean running;

    private Keeper(ActorRef<Spawn<?>> parent) {
        this.parent = parent;
    }

    /** How the keeper's actor is put under the guardian. */
    public interface Root {
        <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
    }

    /** Nothing runs yet. */
    public static Keeper under(Root root) {
        // Ends with any child: work that fails for good must not be missing unnoticed.
        return new Keeper(root.spawn(
                Behaviors.<Spawn<?>>setup(context -> Behaviors.receiveMessage(spawn -> {
                    spawn.under(context);
                    return Behaviors.same();
                })),
                "background"));
    }

    @Override
    public <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped) {
        CompletableFuture<ActorRef<Object>> spawned = new CompletableFuture<>();
        parent.tell(new Spawn<>(Post.create(work, whileStopped), name, spawned));
        ActorRef<Object> post = await(spawned, name);
        add(
                name,
                () -> switched(done -> post.tell(new Post.Start(done))),
                () -> switched(done -> post.tell(new Post.Stop(done))));
        return post.narrow();
    }

    private static CompletionStage<Void> switched(Consumer<CompletableFuture<Void>> command) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        command.accept(done);
        return done;
    }

    /**
     * Adds work that is no actor.
     *
     * @param stop completes when nothing of it is done any more
     */
    public void add(String name, Supplier<CompletionStage<Void>> start, Supplier<CompletionStage<Void>> stop) {
        if (running) {
            throw new IllegalStateException(name + " is added too late");
        }
        parts.add(new Part(name, start, stop));
    }

    /** Whether background work runs; false from the beginning of a stop on. */
    public boolean isRunning() {
        return running;
    }

    /** Starts all work in the order in which it was added; nothing when it runs. */
    public synchronized void start() {
        if (running) {
            return;
        }
        parts.forEach(part -> await(part.start().get(), part.name()));
        running = true;
        LOG.debug("background work runs");
    }

    /** Stops all work in the opposite order, and returns when nothing of it will write any more; nothing when it does not run. */
    public synchronized void stop() {
        if (!running) {
            return;
        }
        running = false;
        for (int i = parts.size() - 1; i >= 0; i--) {
            await(parts.get(i).stop().get(), parts.get(i).name());
        }
        LOG.info("background work is stopped");
    }

    private static <T> T await(CompletionStage<T> stage, String name) {
        try {
            return stage.toCompletableFuture().get(SWITCHING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while switching " + name, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(name + " does not switch", e);
        }
    }
}
