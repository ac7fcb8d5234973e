package org.chainwalletd.node;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ExchangeLimits;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.NoAnswerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the way to the nodes: failover, sweeps, connection places and the queue for them, and what is known of each node (interface.md,
 * section 1.7; chain protocol, sections 10 and 14). Whom a call asks is the {@link Rotation}'s word. It talks to nobody but the peers;
 * short answers are read on the thread that has received them, long ones on the upstream executor. On restart it forgets all of that, and
 * the calls under way fail as unreachable.
 */
public final class Upstream extends AbstractBehavior<Upstream.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);
    private static final int MAX_WAITING_PER_NODE = 4096;
    /** Such an answer is read where it has arrived: that takes no longer than to wake another thread for it. */
    private static final int SHORT_ANSWER_BYTES = 16 * 1024;

    private static final int TIP_RACES = 3;
    private static final int INTERNAL = -32603;
    private static final int METHOD_NOT_FOUND = -32601;

    public sealed interface Command {}

    /** Asks the nodes; the outcome completes {@code call.reply}. */
    record Ask(Call<?> call) implements Command {}

    /** Whether a node is of another chain than ours, as far as is known. */
    record ChainSeen(String url, boolean otherChain) implements Command {}

    private record Answered<T>(Call<T> call, NodeState node, Outcome<T> outcome) implements Command {}

    private record PlaceFree(NodeState node) implements Command {}

    private record WaitedTooLong(Call<?> call, int attempt) implements Command {}

    private record NextSweep(Call<?> call) implements Command {}

    private final Settings.Node settings;
    private final Executor executor;
    private final LongSupplier clock;
    private final Runnable stopped;
    private final ExchangeLimits limits;
    private final Rotation rotation;
    private final UpstreamMetrics metrics;
    private final Set<Call<?>> underWay = new HashSet<>();

    /**
     * @param clock milliseconds that never go back
     * @param stopped run when this has stopped for good
     */
    static Behavior<Command> create(Settings.Node settings, Nodes.Way way, LongSupplier clock, Runnable stopped) {
        return Behaviors.supervise(
                        Behaviors.<Command>setup(context -> new Upstream(context, settings, way, clock, stopped)))
                .onFailure(SupervisorStrategy.restart());
    }

    private Upstream(
            ActorContext<Command> context,
            Settings.Node settings,
            Nodes.Way way,
            LongSupplier clock,
            Runnable stopped) {
        super(context);
        this.settings = settings;
        this.limits = new ExchangeLimits(settings.maxAnswerBytes(), settings.callTimeout(), way.answers());
        this.executor = way.executor();
        this.clock = clock;
        this.stopped = stopped;
        List<NodeState> nodes = new ArrayList<>();
        for (URI url : settings.urls()) {
            nodes.add(new NodeState(nodes.size(), url.toString(), way.peers().to(url)));
        }
        this.rotation = new Rotation(nodes);
        this.metrics = new UpstreamMetrics(way.metrics(), nodes);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Ask.class, this::onAsk)
                .onMessage(Answered.class, this::onAnswered)
                .onMessage(PlaceFree.class, this::onPlaceFree)
                .onMessage(WaitedTooLong.class, this::onWaitedTooLong)
                .onMessage(NextSweep.class, this::onNextSweep)
                .onMessage(ChainSeen.class, this::onChainSeen)
                .onSignal(PreRestart.class, signal -> abandonAll())
                .onSignal(PostStop.class, signal -> stop())
                .build();
    }

    private Behavior<Command> onAsk(Ask ask) {
        Call<?> call = ask.call();
        underWay.add(call);
        rotation.enter(call);
        if (call.patience != null) {
            call.patience.begin(clock.getAsLong());
        }
        beginSweep(call);
        return this;
    }

    private Behavior<Command> onNextSweep(NextSweep next) {
        beginSweep(next.call());
        return this;
    }

    private Behavior<Command> onChainSeen(ChainSeen seen) {
        rotation.chainSeen(seen.url(), seen.otherChain());
        return this;
    }

    private Behavior<Command> onAnswered(Answered<?> answered) {
        settle(answered);
        return this;
    }

    private Behavior<Command> onPlaceFree(PlaceFree free) {
        NodeState node = free.node();
        node.connections.decrementAndGet();
        while (node.connections.get() < settings.maxConnections() && !node.waiting.isEmpty()) {
            Call<?> next = node.waiting.poll();
            node.waitingCount.decrementAndGet();
            next.waitingFor = null;
            if (node.quota(next.bucket).isLimited(clock.getAsLong())) {
                beginSweep(next);
            } else {
                exchange(next, node);
            }
        }
        return this;
    }

    private Behavior<Command> onWaitedTooLong(WaitedTooLong waited) {
        Call<?> call = waited.call();
        if (call.waitingFor != null && call.attempt == waited.attempt()) {
            NodeState node = call.waitingFor;
            node.waiting.remove(call);
            node.waitingCount.decrementAndGet();
            call.waitingFor = null;
            failed(
                    call,
                    node,
                    "no connection became free within " + settings.callTimeout().toMillis() + " ms");
        }
        return this;
    }

    private Behavior<Command> abandonAll() {
        for (Call<?> call : underWay) {
            call.reply.completeExceptionally(
                    new NodeException.Unreachable("the call " + call.method + " was abandoned"));
        }
        underWay.clear();
        return this;
    }

    private Behavior<Command> stop() {
        stopped.run();
        return abandonAll();
    }

    private void beginSweep(Call<?> call) {
        try {
            long now = clock.getAsLong();
            List<NodeState> ours = rotation.ofOurChain(call);
            long pause = rotation.pause(call, ours, now);
            if (pause > 0) {
                getContext().scheduleOnce(Duration.ofMillis(pause), getContext().getSelf(), new NextSweep(call));
                metrics.waitedForQuota();
                return;
            }
            call.order = rotation.candidates(call, ours, now);
        } catch (NodeException e) {
            finish(call, e);
            return;
        }
        call.step = 0;
        askNext(call);
    }

    private void askNext(Call<?> call) {
        if (call.step == call.order.size()) {
            endSweep(call);
            return;
        }
        NodeState node = call.order.get(call.step++);
        call.attempt++;
        if (node.connections.get() < settings.maxConnections()) {
            exchange(call, node);
        } else if (node.waiting.size() < MAX_WAITING_PER_NODE) {
            node.waiting.add(call);
            call.waitingFor = node;
            getContext()
                    .scheduleOnce(
                            settings.callTimeout(), getContext().getSelf(), new WaitedTooLong(call, call.attempt));
            node.waitingCount.incrementAndGet();
        } else {
            failed(call, node, MAX_WAITING_PER_NODE + " calls wait for it already");
        }
    }

    private void endSweep(Call<?> call) {
        call.sweep++;
        if (call.sweep >= (call.attempts > 0 ? call.attempts : settings.attempts())) {
            finish(
                    call,
                    new NodeException.Unreachable("no node answered " + call.method + " in " + call.sweep
                            + (call.sweep == 1 ? " sweep" : " sweeps") + "; the last one tried was "
                            + call.lastFailure));
            return;
        }
        Duration wait = settings.backoff().multipliedBy(call.sweep);
        getContext().scheduleOnce(wait, getContext().getSelf(), new NextSweep(call));
        metrics.sweepRepeated();
    }

    private <T> void exchange(Call<T> call, NodeState node) {
        node.connections.incrementAndGet();
        node.spent(call.bucket, clock.getAsLong());
        var self = getContext().getSelf();
        node.peer
                .post(call.request, limits, () -> self.tell(new PlaceFree(node)))
                .handleAsync(
                        (answer, failure) -> {
                            if (failure != null) {
                                self.tell(new Answered<>(call, node, noAnswer(failure)));
                            } else if (answer.body().length <= SHORT_ANSWER_BYTES) {
                                read(call, node, answer, self);
                            } else {
                                executor.execute(() -> read(call, node, answer, self));
                            }
                            return null;
                        },
                        Runnable::run);
    }

    private static <T> void read(Call<T> call, NodeState node, HttpAnswer answer, ActorRef<Command> self) {
        Outcome<T> outcome = decode(call, answer);
        if (outcome instanceof Outcome.Result<T> result) {
            call.reply.complete(result.value());
        }
        self.tell(new Answered<>(call, node, outcome));
    }

    /** Whatever a node sends, its call has an outcome. */
    private static <T> Outcome<T> decode(Call<T> call, HttpAnswer answer) {
        try (answer) {
            return call.decode(answer);
        } catch (RuntimeException e) {
            LOG.error("an answer to {} could not be read", call.method, e);
            return new Outcome.Refused<>(new NodeException.BadAnswer("node answered " + call.method + " unreadably"));
        }
    }

    private static <T> Outcome<T> noAnswer(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean mayHaveArrived = !(cause instanceof NoAnswerException none) || none.mayHaveArrived();
        return new Outcome.NoAnswer<>(String.valueOf(cause.getMessage()), mayHaveArrived);
    }

    private <T> void settle(Answered<T> answered) {
        Call<T> call = answered.call();
        NodeState node = answered.node();
        if (answered.outcome() instanceof Outcome.Result<T>) {
            ended(call, "ok");
        } else if (answered.outcome() instanceof Outcome.NoAnswer<T> none) {
            call.answerLost |= none.mayHaveArrived();
            failed(call, node, none.why());
        } else if (answered.outcome() instanceof Outcome.Refused<T> refused) {
            refused(call, node, refused.failure());
        }
    }

    private void failed(Call<?> call, NodeState node, String why) {
        LOG.debug("{} at {}: {}", call.method, node.url, why);
        call.lastFailure = node.url + ": " + why;
        askNext(call);
    }

    private void refused(Call<?> call, NodeState node, NodeException failure) {
        if (failure instanceof NodeException.Rejected rejected) {
            if (rejected.code() == INTERNAL && rejected.text().startsWith("Tip changed") && call.tipRaces < TIP_RACES) {
                call.tipRaces++;
                call.step--;
                askNext(call);
                return;
            }
            boolean limited = remember(call, node, rejected);
            if (limited && call.patience != null) {
                beginSweep(call);
                return;
            }
        }
        finish(call, failure);
    }

    /** Whether the node refused for a quota. */
    private boolean remember(Call<?> call, NodeState node, NodeException.Rejected rejected) {
        boolean limited = rejected.code() == INTERNAL && rejected.text().startsWith("Rate limit exceeded");
        if (limited) {
            LOG.warn("{} refuses {}: {}", node.url, call.method, rejected.text());
            node.refused(call.bucket, rejected.text(), clock.getAsLong());
        } else if (rejected.code() == METHOD_NOT_FOUND) {
            node.lacks(call.method, clock.getAsLong());
        }
        return limited;
    }

    private void finish(Call<?> call, NodeException failure) {
        ended(call, failure instanceof NodeException.Rejected ? "rejected" : "failed");
        boolean doubtful = failure instanceof NodeException.Rejected && call.answerLost;
        call.reply.completeExceptionally(doubtful ? ((NodeException.Rejected) failure).afterLostAnswers() : failure);
    }

    private void ended(Call<?> call, String outcome) {
        underWay.remove(call);
        metrics.ended(call, outcome);
    }
}
