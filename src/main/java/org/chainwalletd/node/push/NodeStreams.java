package org.chainwalletd.node.push;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.stream.KillSwitch;
import org.chainwalletd.chain.Address;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.NoAnswerException;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owner of the push streams to one node: which are open, which addresses each watches, when the next one may be opened (following.md, section 5;
 * chain protocol, section 12). Talks to the node through {@link PushConnection}s, and publishes {@link PushNews}. On restart all streams are closed
 * and opened again; the addresses that were watched are reported as lost.
 */
public final class NodeStreams extends AbstractBehavior<NodeStreams.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStreams.class);
    private static final Set<Integer> NO_PUSH_STATUS = Set.of(404, 405);
    private static final Set<Integer> FULL_STATUS = Set.of(429, 503);

    public sealed interface Command {}

    /**
     * Replaces the set of addresses to watch.
     *
     * @param addresses most urgent first
     */
    public record Watch(List<Address> addresses) implements Command {}

    private record Opened(long stream) implements Command {}

    private record News(long stream, Nudges nudges, CompletableFuture<Done> more) implements Command {}

    private record Ended(long stream, Outcome<Done> end) implements Command {}

    private enum Tick implements Command {
        NEXT
    }

    /**
     * Limits for one node.
     *
     * @param plan addresses per stream and streams at a time; the node allows 64 streams
     * @param places maximum number of the node's places in use, including closed streams that the node may not have noticed yet
     * @param stale how long a closed stream may keep its place at the node
     * @param betweenSteps minimum time between two streams being opened or replaced
     * @param firstRetry delay after a failure, doubled up to {@code lastRetry}
     * @param probe delay before a node without push is tried again
     */
    record Rules(
            StreamPlan plan,
            int places,
            Duration stale,
            Duration betweenSteps,
            Duration firstRetry,
            Duration lastRetry,
            Duration probe) {
        static final Rules OF_A_NODE = new Rules(
                new StreamPlan(120, 48),
                62,
                Duration.ofSeconds(26),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }

    /** Stream, from the moment it is requested. */
    private static final class Stream implements StreamPlan.Open {
        final Set<Address> addresses;
        /** Addresses whose first event is ignored, because it only confirms that they are watched. */
        final Set<Address> unconfirmed;

        final long id;
        Stream replaces;
        KillSwitch end;
        boolean open;

        /** @param replaces stream that ends when this one is open; null for none */
        Stream(long id, Set<Address> addresses, Stream replaces) {
            this.id = id;
            this.addresses = addresses;
            this.unconfirmed = new HashSet<>(addresses);
            this.replaces = replaces;
        }

        @Override
        public Set<Address> addresses() {
            return addresses;
        }
    }

    private final String url;
    private final BooleanSupplier ours;
    private final PushConnection connection;
    private final Rules rules;
    private final LongSupplier clock;
    private final Consumer<PushNews> news;
    private final TimerScheduler<Command> timers;
    private final Map<Long, Stream> streams = new LinkedHashMap<>();
    private final Deque<Long> closedAt = new ArrayDeque<>();
    private Collection<Address> wanted = List.of();
    private long lastId;
    private long nextStepAt;
    private long failures;
    private boolean failureLogged;
    private Long tip;

    /**
     * @param ours whether the node is known to be of our chain; otherwise no stream is open
     * @param clock monotonic milliseconds
     * @param news called on this actor's thread, must not block
     */
    static Behavior<Command> create(
            String url,
            BooleanSupplier ours,
            PushConnection connection,
            Rules rules,
            LongSupplier clock,
            Consumer<PushNews> news) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new NodeStreams(context, timers, url, ours, connection, rules, clock, news))))
                .onFailure(SupervisorStrategy.restart());
    }

    private NodeStreams(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            String url,
            BooleanSupplier ours,
            PushConnection connection,
            Rules rules,
            LongSupplier clock,
            Consumer<PushNews> news) {
        super(context);
        this.timers = timers;
        this.url = url;
        this.ours = ours;
        this.connection = connection;
        this.rules = rules;
        this.clock = clock;
        this.news = news;
        this.nextStepAt = clock.getAsLong();
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::onWatch)
                .onMessage(Opened.class, this::onOpened)
                .onMessage(News.class, this::onNews)
                .onMessage(Ended.class, this::onEnded)
                .onMessage(Tick.class, this::onTick)
                .onSignal(PreRestart.class, signal -> closeAll())
                .onSignal(PostStop.class, signal -> closeAll())
                .build();
    }

    private Behavior<Command> onWatch(Watch watch) {
        wanted = watch.addresses();
        proceed();
        return this;
    }

    private Behavior<Command> onTick(Tick tick) {
        proceed();
        return this;
    }

    /** Opens or replaces one stream if needed and allowed; otherwise tries again later. */
    private void proceed() {
        if (!ours.getAsBoolean()) {
            closeAll();
            timers.startSingleTimer(Tick.NEXT, Tick.NEXT, rules.betweenSteps());
            return;
        }
        long now = clock.getAsLong();
        while (!closedAt.isEmpty() && now - closedAt.peek() >= rules.stale().toMillis()) {
            closedAt.poll();
        }
        long pause = nextStepAt - now;
        if (pause > 0) {
            timers.startSingleTimer(Tick.NEXT, Tick.NEXT, Duration.ofMillis(pause));
            return;
        }
        List<Stream> current = new ArrayList<>(streams.values());
        streams.values().forEach(stream -> current.remove(stream.replaces));
        List<Stream> replaceable =
                current.stream().filter(stream -> stream.open).toList();
        Optional<StreamPlan.Step<Stream>> step = rules.plan().next(wanted, current, replaceable);
        if (step.isPresent() && streams.size() + closedAt.size() < rules.places()) {
            open(step.get());
            nextStepAt = now + rules.betweenSteps().toMillis();
        }
        if (step.isPresent()) {
            timers.startSingleTimer(Tick.NEXT, Tick.NEXT, rules.betweenSteps());
        }
    }

    private void open(StreamPlan.Step<Stream> step) {
        Stream stream = new Stream(++lastId, step.addresses(), step.replaces().orElse(null));
        streams.put(stream.id, stream);
        stream.end = connection.open(step.addresses(), new ToSelf(getContext().getSelf(), stream.id));
    }

    private Behavior<Command> onOpened(Opened opened) {
        Stream stream = streams.get(opened.stream());
        if (stream == null) {
            return this;
        }
        Set<Address> watched = watched();
        stream.open = true;
        // For an address that another stream already watches, the first event only confirms this watch, and is
        // ignored.
        stream.unconfirmed.retainAll(watched);
        Set<Address> fresh = new HashSet<>(stream.addresses);
        fresh.removeAll(watched);
        if (!fresh.isEmpty()) {
            news.accept(new PushNews.Watching(url, Set.copyOf(fresh)));
        }
        if (stream.replaces != null) {
            close(stream.replaces);
            stream.replaces = null;
        }
        if (failureLogged) {
            LOG.info("{} pushes again", url);
            failureLogged = false;
        }
        proceed();
        return this;
    }

    private Behavior<Command> onNews(News received) {
        Stream stream = streams.get(received.stream());
        if (stream != null && !ours.getAsBoolean()) {
            proceed();
        } else if (stream != null) {
            failures = 0;
            publish(stream, received.nudges());
        }
        received.more().complete(Done.getInstance());
        return this;
    }

    private void publish(Stream stream, Nudges nudges) {
        Set<Address> changed = new HashSet<>(nudges.resync() ? stream.addresses : nudges.heard());
        if (!nudges.resync()) {
            changed.removeIf(stream.unconfirmed::remove);
            changed.addAll(nudges.again());
        }
        if (!changed.isEmpty()) {
            news.accept(new PushNews.Changed(url, Set.copyOf(changed)));
        }
        if (nudges.tip() != null && !nudges.tip().equals(tip)) {
            tip = nudges.tip();
            news.accept(new PushNews.Tip(url, tip));
        }
    }

    private Behavior<Command> onEnded(Ended ended) {
        Stream stream = streams.remove(ended.stream());
        if (stream == null) {
            return this;
        }
        if (stream.open) {
            publishLost(stream);
        }
        Optional<Throwable> failure = ended.end().failure();
        if (stream.open && failure.isPresent()) {
            closedAt.add(clock.getAsLong());
        }
        long wait = pauseAfter(failure).toMillis();
        nextStepAt = Math.max(nextStepAt, clock.getAsLong() + wait);
        proceed();
        return this;
    }

    private void publishLost(Stream stream) {
        Set<Address> lost = new HashSet<>(stream.addresses);
        lost.removeAll(watched());
        if (!lost.isEmpty()) {
            news.accept(new PushNews.Lost(url, Set.copyOf(lost)));
        }
    }

    /** @param failure empty when the stream was closed without one */
    private Duration pauseAfter(Optional<Throwable> failure) {
        failures++;
        int status = failure.map(NodeStreams::statusOf).orElse(0);
        if (!failureLogged && failure.filter(NodeStreams::isOurEnd).isEmpty()) {
            String why =
                    failure.map(cause -> String.valueOf(cause.getMessage())).orElse("it closed the stream");
            LOG.warn("{} does not push: {}", url, why);
            failureLogged = true;
        }
        if (NO_PUSH_STATUS.contains(status)) {
            return rules.probe();
        }
        if (FULL_STATUS.contains(status)) {
            return rules.lastRetry();
        }
        Duration doubled = rules.firstRetry().multipliedBy(1L << Math.min(failures - 1, 10));
        return doubled.compareTo(rules.lastRetry()) < 0 ? doubled : rules.lastRetry();
    }

    private static boolean isOurEnd(Throwable failure) {
        return failure instanceof NoAnswerException ended && ended.isEnded();
    }

    private static int statusOf(Throwable failure) {
        return failure instanceof HttpAnswer.RefusedException refused ? refused.status() : 0;
    }

    private Set<Address> watched() {
        Set<Address> watched = new HashSet<>();
        streams.values().stream().filter(stream -> stream.open).forEach(stream -> watched.addAll(stream.addresses));
        return watched;
    }

    private void close(Stream old) {
        if (streams.remove(old.id) != null) {
            old.end.shutdown();
            closedAt.add(clock.getAsLong());
            if (old.open) {
                publishLost(old);
            }
        }
    }

    private Behavior<Command> closeAll() {
        List.copyOf(streams.values()).forEach(this::close);
        return this;
    }

    /** Sends the events of a stream's listener to this actor, one message at a time. */
    private record ToSelf(ActorRef<Command> self, long stream) implements PushConnection.Listener {
        @Override
        public void opened() {
            self.tell(new Opened(stream));
        }

        @Override
        public CompletionStage<Done> news(Nudges nudges) {
            CompletableFuture<Done> more = new CompletableFuture<>();
            self.tell(new News(stream, nudges, more));
            return more;
        }

        @Override
        public void ended(Throwable failure) {
            self.tell(new Ended(stream, Outcome.of(Done.getInstance(), failure)));
        }
    }
}
