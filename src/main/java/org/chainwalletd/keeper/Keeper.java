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
 * Background work: following the chain and writing the books, rescans, rebroadcasts, burial, swaps. It is one subtree of actors that can
 * stop and start while the daemon serves calls, because all of it starts from stored state; calls that need it meanwhile are refused and
 * can be repeated. With SQLite, the only daemon starts it once and never stops it; of several daemons on one store, only one runs it.
 *
 * <p>Work is added during startup, by a single thread. {@link #start} and {@link #stop} block, one at a time, and must not be called on an
 * actor's thread.
 */
public final class Keeper implements Background {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final Duration SWITCH_TIMEOUT = Duration.ofSeconds(30);

    private record Spawn<T>(Behavior<T> behavior, String name, CompletableFuture<ActorRef<T>> spawned) {
        void under(ActorContext<?> context) {
            ActorRef<T> child = context.spawn(behavior, name);
            context.watch(child);
            spawned.complete(child);
        }
    }

    /** Unit of background work; units added before it are running when it starts and when it stops. */
    private record Part(String name, Supplier<CompletionStage<Void>> start, Supplier<CompletionStage<Void>> stop) {}

    private final ActorRef<Spawn<?>> parent;
    private final Duration patience;
    private final List<Part> parts = new ArrayList<>();
    private final List<Supplier<CompletionStage<Void>>> probes = new CopyOnWriteArrayList<>();
    private volatile boolean running;
    /** Number of parts that have been started and not stopped. */
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

    /** Creates a keeper that runs nothing yet. */
    public static Keeper under(Spawner root) {
        return under(root, SWITCH_TIMEOUT);
    }

    /**
     * @param patience maximum time for one unit of work to start or stop
     */
    static Keeper under(Spawner root, Duration patience) {
        // Ends when any child ends: work that fails permanently must not be missing unnoticed.
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
        return begin(name, WorkSlot.create(work, Optional.empty(), whileStopped));
    }

    @Override
    public <T> ActorRef<T> begin(String name, Behavior<T> work, Behavior<T> standIn) {
        return begin(name, WorkSlot.create(work, Optional.of(standIn), message -> {}));
    }

    private <T> ActorRef<T> begin(String name, Behavior<Object> behavior) {
        CompletableFuture<ActorRef<Object>> spawned = new CompletableFuture<>();
        parent.tell(new Spawn<>(behavior, name, spawned));
        ActorRef<Object> slot = await(spawned, name);
        add(
                name,
                () -> switched(done -> slot.tell(new WorkSlot.Start(done))),
                () -> switched(done -> slot.tell(new WorkSlot.Stop(done))));
        probes.add(() -> switched(done -> slot.tell(new WorkSlot.Probe(done))));
        return slot.narrow();
    }

    private static CompletionStage<Void> switched(Consumer<CompletableFuture<Void>> command) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        command.accept(done);
        return done;
    }

    /**
     * Adds work that is not an actor.
     *
     * @param stop completes when the work has stopped completely
     */
    public void add(String name, Supplier<CompletionStage<Void>> start, Supplier<CompletionStage<Void>> stop) {
        if (running) {
            throw new IllegalStateException(name + " was added after the start");
        }
        parts.add(new Part(name, start, stop));
    }

    /** Sets the check whether another party has ended work that this daemon started, so that it must be stopped and started. */
    public void endedBy(BooleanSupplier ended) {
        this.ended = ended;
    }

    /** Whether another party has ended work that this daemon started: it does nothing more before another start. */
    public boolean isEnded() {
        return running && ended.getAsBoolean();
    }

    /** Whether background work runs; false as soon as a stop begins. */
    public boolean isRunning() {
        return running;
    }

    /**
     * Records which daemon does the work while this one does not.
     *
     * @param url URL of that daemon; empty when unknown
     */
    public void elsewhere(String url) {
        elsewhere = url;
    }

    /** Returns the URL of the daemon that does the work while this one does not; empty when unknown. */
    public Optional<String> elsewhere() {
        return Optional.of(elsewhere).filter(url -> !url.isEmpty());
    }

    /** Sets the source of the reason why the work is not done, for a store on which one of several daemons does it. */
    public void judgedBy(Supplier<Optional<String>> complaint) {
        this.complaint = complaint;
    }

    /** Returns why neither this daemon nor another one does the work; empty in normal operation. */
    public Optional<String> complaint() {
        return complaint.get();
    }

    /** Whether every actor of the work processes a message within {@code patience}. Blocks. */
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
     * Starts all work in the order in which it was added; does nothing when it runs.
     *
     * @throws StoreException when a store cannot be written now, or does not answer in time; some of the work may then be running, until
     *     {@link #stop}
     */
    public synchronized void start() {
        if (running) {
            return;
        }
        while (begun < parts.size()) {
            Part part = parts.get(begun);
            // It may have started although it reports a failure.
            begun++;
            await(part.start().get(), part.name());
        }
        running = true;
        LOG.debug("background work runs");
    }

    /**
     * Stops all work in reverse order, and returns when none of it will write any more; does nothing when none of it has started.
     *
     * @throws StoreException when a store cannot be written now, or does not answer in time; a further call stops the rest
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
            throw new IllegalStateException("interrupted while starting or stopping " + name, e);
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
     * Stable actor reference of one unit of background work. Forwards messages to a child actor, which it starts and stops on command;
     * while that is stopped, a function or a stand-in actor handles the messages. Stops when the child stops by itself.
     *
     * @param <T> type of the messages
     */
    private static final class WorkSlot<T> {
        /** Starts the actor; {@code done} completes when it has started. */
        record Start(CompletableFuture<Void> done) {}

        /** Stops the actor; {@code done} completes when it has stopped, after all earlier messages. */
        record Stop(CompletableFuture<Void> done) {}

        /** Completes {@code done} when the actor has processed all earlier messages, or at once when there is no actor. */
        record Probe(CompletableFuture<Void> done) {}

        private enum StopSignal {
            MESSAGE
        }

        private final ActorContext<Object> context;
        private final Behavior<T> work;
        private final Optional<Behavior<T>> standIn;
        private final Consumer<? super T> whileStopped;
        /** Actor that receives the forwarded messages. */
        private Optional<ActorRef<Object>> current = Optional.empty();

        private long begun;

        private WorkSlot(
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
            return Behaviors.setup(context -> new WorkSlot<>(context, work, standIn, whileStopped).stopped());
        }

        private Behavior<Object> stopped() {
            return standIn.map(behavior -> standingIn(begin(behavior))).orElseGet(this::refusing);
        }

        private Behavior<Object> refusing() {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, this::start)
                    .onMessage(Stop.class, stop -> done(stop.done()))
                    .onMessage(Probe.class, probe -> done(probe.done()))
                    .onAnyMessage(this::refuse)
                    .build();
        }

        private Behavior<Object> standingIn(ActorRef<Object> actor) {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, start -> end(actor, () -> start(start)))
                    .onMessage(Stop.class, stop -> done(stop.done()))
                    .onAnyMessage(message -> pass(actor, message))
                    .onSignal(Terminated.class, this::childStopped)
                    .build();
        }

        private Behavior<Object> running(ActorRef<Object> actor) {
            return Behaviors.receive(Object.class)
                    .onMessage(Start.class, start -> done(start.done()))
                    .onMessage(Stop.class, stop -> end(actor, () -> stopped(stop)))
                    .onAnyMessage(message -> pass(actor, message))
                    .onSignal(Terminated.class, this::childStopped)
                    .build();
        }

        /** Queues messages while the actor stops: they must not be handled concurrently with it. */
        private Behavior<Object> ending(Supplier<Behavior<Object>> next) {
            Deque<Object> waiting = new ArrayDeque<>();
            return Behaviors.receive(Object.class)
                    .onMessage(
                            Start.class,
                            start ->
                                    done(start.done(), new IllegalStateException("it is already starting or stopping")))
                    .onMessage(
                            Stop.class,
                            stop -> done(stop.done(), new IllegalStateException("it is already starting or stopping")))
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
                    context.spawn(Behaviors.intercept(() -> new StopInterceptor<>(), behavior), "life-" + ++begun);
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
            actor.tell(StopSignal.MESSAGE);
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

        private Behavior<Object> childStopped(Terminated terminated) {
            context.getLog()
                    .error("{} ended by itself", context.getSelf().path().name());
            return Behaviors.stopped();
        }

        /** Stops an actor at the {@link StopSignal} message, which the actor does not see, and answers {@link Probe}. */
        private static final class StopInterceptor<T> extends BehaviorInterceptor<Object, T> {
            StopInterceptor() {
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
                return message == StopSignal.MESSAGE ? Behaviors.stopped() : target.apply(context, (T) message);
            }
        }
    }
}
