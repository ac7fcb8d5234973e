package org.chainwalletd.keeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.StoreException;
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

    /** Kind of work; those that were added before it run when it starts, and still when it stops. */
    private record Part(String name, Supplier<CompletionStage<Void>> start, Supplier<CompletionStage<Void>> stop) {}

    private final ActorRef<Spawn<?>> parent;
    private final Duration patience;
    private final List<Part> parts = new ArrayList<>();
    private final List<Supplier<CompletionStage<Void>>> probes = new CopyOnWriteArrayList<>();
    private volatile boolean running;
    /** Number of parts that have been started and not been stopped. */
    private int begun;

    private volatile BooleanSupplier ended = () -> false;
    private volatile String elsewhere = "";
    private volatile Supplier<Optional<String>> complaint = () -> running
            ? Optional.empty()
            : Optional.of("background work is stopped: no block is followed and nothing is sent again");

    private Keeper(ActorRef<Spawn<?>> parent, Duration patience) {
        this.parent = parent;
        this.patience = patience;
    }

    /** Nothing runs yet. */
    public static Keeper under(Spawner root) {
        return under(root, SWITCHING);
    }

    /** @param patience for which one kind of work may take to start or stop */
    static Keeper under(Spawner root, Duration patience) {
        // Ends with any child: work that fails for good must not be missing unnoticed.
        return new Keeper(
                root.spawn(
                        Behaviors.<Spawn<?>>setup(context -> Behaviors.receiveMessage(spawn -> {
                            spawn.under(context);
                            return Behaviors.same();
                        })),
                        "background"),
                patience);
    }

    @Override
    public <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped) {
        return begin(name, Post.create(work, Optional.empty(), whileStopped));
    }

    @Override
    public <T> ActorRef<T> begin(String name, Behavior<T> work, Behavior<T> standIn) {
        return begin(name, Post.create(work, Optional.of(standIn), message -> {}));
    }

    private <T> ActorRef<T> begin(String name, Behavior<Object> behavior) {
        CompletableFuture<ActorRef<Object>> spawned = new CompletableFuture<>();
        parent.tell(new Spawn<>(behavior, name, spawned));
        ActorRef<Object> post = await(spawned, name);
        add(
                name,
                () -> switched(done -> post.tell(new Post.Start(done))),
                () -> switched(done -> post.tell(new Post.Stop(done))));
        probes.add(() -> switched(done -> post.tell(new Post.Probe(done))));
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

    /** Lets {@code ended} tell that somebody else has ended work that this daemon has begun, so that it is to be stopped and started. */
    public void endedBy(BooleanSupplier ended) {
        this.ended = ended;
    }

    /** Tells whether somebody else has ended work that this daemon has begun: nothing more is done of it before another start. */
    public boolean isEnded() {
        return running && ended.getAsBoolean();
    }

    /** Whether background work runs; false from the beginning of a stop on. */
    public boolean isRunning() {
        return running;
    }

    /**
     * Records which daemon does the work while this one does not.
     *
     * @param url at which it is called; empty where that is not known
     */
    public void elsewhere(String url) {
        elsewhere = url;
    }

    /** Returns the URL of the daemon that does the work while this one does not; empty where that is not known. */
    public Optional<String> elsewhere() {
        return Optional.of(elsewhere).filter(url -> !url.isEmpty());
    }

    /** Lets {@code complaint} tell why the work is not done, where any of several daemons may do it. */
    public void judgedBy(Supplier<Optional<String>> complaint) {
        this.complaint = complaint;
    }

    /** Returns why the work is not done by this daemon, nor by another one; empty in normal operation. */
    public Optional<String> complaint() {
        return complaint.get();
    }

    /** Tells whether every actor of the work takes a message within {@code patience}. Blocks. */
    public boolean answers(Duration patience) {
        CompletableFuture<?>[] answers =
                probes.stream().map(probe -> probe.get().toCompletableFuture()).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(answers).get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /**
     * Starts all work in the order in which it was added; nothing when it runs.
     *
     * @throws StoreException when a store cannot be written now, or does not answer in time; some of the work may have begun, until {@link #stop}
     */
    public synchronized void start() {
        if (running) {
            return;
        }
        while (begun < parts.size()) {
            Part part = parts.get(begun);
            // It may have begun although it says that it has not.
            begun++;
            await(part.start().get(), part.name());
        }
        running = true;
        LOG.debug("background work runs");
    }

    /**
     * Stops all work in the opposite order, and returns when nothing of it will write any more; nothing when none of it has begun.
     *
     * @throws StoreException when a store cannot be written now, or does not answer in time; what has not been stopped is stopped by another call
     */
    public synchronized void stop() {
        running = false;
        if (begun == 0) {
            return;
        }
        while (begun > 0) {
            Part part = parts.get(begun - 1);
            await(part.stop().get(), part.name());
            begun--;
        }
        LOG.info("background work is stopped");
    }

    private <T> T await(CompletionStage<T> stage, String name) {
        try {
            return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while switching " + name, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException store) {
                throw new StoreException(store.reason(), name + " does not switch: " + store.getMessage(), e);
            }
            throw new IllegalStateException(name + " does not switch", e);
        } catch (TimeoutException e) {
            throw new StoreException(
                    StoreException.Reason.BUSY, name + " does not switch within " + patience.toSeconds() + " s", e);
        }
    }

    /**
     * The address of one kind of background work. Passes what it is told on to an actor of its own, which it begins and ends on command; without
     * one it hands it to whoever answers then: a function, or another actor. Ends when an actor of its own ends by itself.
     *
     * @param <T> what the work is told
     */
    private static final class Post<T> {
        /** The actor is begun when this is done. */
        record Start(CompletableFuture<Void> done) {}

        /** The actor has ended when this is done, after all that was told before. */
        record Stop(CompletableFuture<Void> done) {}

        /** Done when the actor has taken all that was told before, and at once when there is none. */
        record Probe(CompletableFuture<Void> done) {}

        /** The last message of an actor. */
        private enum Last {
            MESSAGE
        }

        private final ActorContext<Object> context;
        private final Behavior<T> work;
        private final Optional<Behavior<T>> standIn;
        private final Consumer<? super T> whileStopped;
        /** The actor that is passed what comes. */
        private Optional<ActorRef<Object>> current = Optional.empty();

        private long begun;

        private Post(
                ActorContext<Object> context,
                Behavior<T> work,
                Optional<Behavior<T>> standIn,
                Consumer<? super T> whileStopped) {
            this.context = context;
            this.work = work;
            this.standIn = standIn;
            this.whileStopped = whileStopped;
        }

        static <T> Behavior<Object> create(
                Behavior<T> work, Optional<Behavior<T>> standIn, Consumer<? super T> whileStopped) {
            return Behaviors.setup(context -> new Post<>(context, work, standIn, whileStopped).stopped());
        }

        private Behavior<Object> stopped() {
            return standIn.map(behavior -> replaced(begin(behavior))).orElseGet(this::refusing);
        }

        private Behavior<Object> refusing() {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, this::start)
                    .onMessage(Stop.class, stop -> done(stop.done()))
                    .onMessage(Probe.class, probe -> done(probe.done()))
                    .onAnyMessage(this::refuse)
                    .build();
        }

        private Behavior<Object> replaced(ActorRef<Object> actor) {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, start -> end(actor, () -> start(start)))
                    .onMessage(Stop.class, stop -> done(stop.done()))
                    .onAnyMessage(message -> pass(actor, message))
                    .onSignal(Terminated.class, this::lost)
                    .build();
        }

        private Behavior<Object> running(ActorRef<Object> actor) {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, start -> done(start.done()))
                    .onMessage(Stop.class, stop -> end(actor, () -> stopped(stop)))
                    .onAnyMessage(message -> pass(actor, message))
                    .onSignal(Terminated.class, this::lost)
                    .build();
        }

        /** Lets messages that come meanwhile wait: they must not be answered beside the actor. */
        private Behavior<Object> ending(Supplier<Behavior<Object>> next) {
            Deque<Object> waiting = new ArrayDeque<>();
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, start -> done(start.done(), new IllegalStateException("it is switching")))
                    .onMessage(Stop.class, stop -> done(stop.done(), new IllegalStateException("it is switching")))
                    .onMessage(Probe.class, probe -> done(probe.done()))
                    .onAnyMessage(message -> {
                        waiting.add(message);
                        return Behaviors.same();
                    })
                    .onSignal(Terminated.class, ended -> {
                        current = Optional.empty();
                        Behavior<Object> then = next.get();
                        waiting.forEach(message ->
                                current.ifPresentOrElse(actor -> actor.tell(message), () -> refuse(message)));
                        return then;
                    })
                    .build();
        }

        private ActorRef<Object> begin(Behavior<T> behavior) {
            ActorRef<Object> actor =
                    context.spawn(Behaviors.intercept(() -> new EndsWithLast<>(), behavior), "life-" + ++begun);
            context.watch(actor);
            current = Optional.of(actor);
            return actor;
        }

        private Behavior<Object> start(Start start) {
            ActorRef<Object> actor = begin(work);
            start.done().complete(null);
            return running(actor);
        }

        private Behavior<Object> stopped(Stop stop) {
            Behavior<Object> stopped = stopped();
            stop.done().complete(null);
            return stopped;
        }

        private Behavior<Object> end(ActorRef<Object> actor, Supplier<Behavior<Object>> next) {
            actor.tell(Last.MESSAGE);
            return ending(next);
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
            context.getLog()
                    .error("{} ended by itself", context.getSelf().path().name());
            return Behaviors.stopped();
        }

        /** Ends an actor at the {@link Last} message, which it does not see. */
        private static final class EndsWithLast<T> extends BehaviorInterceptor<Object, T> {
            EndsWithLast() {
                super(Object.class);
            }

            @Override
            @SuppressWarnings("unchecked")
            public Behavior<T> aroundReceive(
                    TypedActorContext<Object> context, Object message, ReceiveTarget<T> target) {
                if (message instanceof Probe probe) {
                    probe.done().complete(null);
                    return Behaviors.same();
                }
                return message == Last.MESSAGE ? Behaviors.stopped() : target.apply(context, (T) message);
            }
        }
    }
}
