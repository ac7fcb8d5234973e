package org.chainwalletd.node;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.config.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owner of the calls that cannot be answered at once by their first node: failover, sweeps, the queues for connections, waits for quotas, and the
 * health of each node, which it publishes (interface.md, section 1.7; chain protocol, sections 10 and 14). Calls arrive from {@link UpstreamCalls}
 * and are sent through the {@link Exchanger}; {@link Rotation} chooses the nodes. On restart the calls that it holds fail as unreachable; its
 * knowledge of the nodes is kept.
 */
final class Upstream extends AbstractBehavior<Upstream.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);
    private static final Map<Priority, Integer> MAX_WAITING_PER_NODE =
            new EnumMap<>(Map.of(Priority.FOREGROUND, 4096, Priority.BACKGROUND, 1024));
    /** Maximum number of calls that wait for quotas; each has its own timeout. */
    private static final int MAX_WAITING_FOR_QUOTA = 4096;

    private static final int MAX_WAITING_FOR_JUDGEMENT = 4096;

    private static final int TIP_RACES = 3;
    private static final int INTERNAL = -32603;
    private static final int METHOD_NOT_FOUND = -32601;

    sealed interface Command {}

    /** Asks the nodes; the outcome completes {@code call.reply}. */
    record Ask(Call<?> call, int start) implements Command {}

    /** Continues a call after {@code node}, the first one asked, gave no result. */
    record FirstAttemptFailed<T>(Call<T> call, int start, UpstreamNode node, AnswerDecoder.Attempt<T> outcome)
            implements Command {}

    /** A connection to {@code node} was closed while calls were waiting for one. */
    record ConnectionFree(UpstreamNode node) implements Command {}

    /** Reports the chain of a node, as far as it is known, with the reason. */
    record ChainSeen(String url, UpstreamNode.NodeHealth.Chain chain, String why) implements Command {}

    private record Judged(CallTrace<?> trace) implements Command {}

    private record Answered<T>(CallTrace<T> trace, UpstreamNode node, AnswerDecoder.Attempt<T> outcome)
            implements Command {}

    private record WaitedTooLong(CallTrace<?> trace, int attempt) implements Command {}

    private record NextSweep(CallTrace<?> trace) implements Command {}

    private record QuotaMayBeFree(CallTrace<?> trace) implements Command {}

    private final Settings.Node settings;
    private final UpstreamCalls calls;
    private final Rotation rotation;
    private final Exchanger exchanger;
    private final LongSupplier clock;
    private final UpstreamMetrics metrics;
    private final Runnable stopped;
    private final Set<CallTrace<?>> underWay = new HashSet<>();
    /** Calls that wait until a node is known to be of our chain. */
    private final Set<CallTrace<?>> unjudged = new LinkedHashSet<>();

    private final Map<UpstreamNode, Map<Priority, Deque<CallTrace<?>>>> queues = new HashMap<>();
    private int waitingForQuota;

    /**
     * @param clock monotonic milliseconds
     * @param stopped run when this actor has stopped permanently
     */
    static Behavior<Command> create(
            Settings.Node settings,
            UpstreamCalls calls,
            Exchanger exchanger,
            LongSupplier clock,
            UpstreamMetrics metrics,
            Runnable stopped) {
        return Behaviors.supervise(Behaviors.<Command>setup(
                        context -> new Upstream(context, settings, calls, exchanger, clock, metrics, stopped)))
                .onFailure(SupervisorStrategy.restart());
    }

    private Upstream(
            ActorContext<Command> context,
            Settings.Node settings,
            UpstreamCalls calls,
            Exchanger exchanger,
            LongSupplier clock,
            UpstreamMetrics metrics,
            Runnable stopped) {
        super(context);
        this.settings = settings;
        this.calls = calls;
        this.rotation = calls.rotation();
        this.exchanger = exchanger;
        this.clock = clock;
        this.metrics = metrics;
        this.stopped = stopped;
        for (UpstreamNode node : rotation.nodes()) {
            queues.put(
                    node,
                    new EnumMap<>(
                            Map.of(Priority.FOREGROUND, new ArrayDeque<>(), Priority.BACKGROUND, new ArrayDeque<>())));
        }
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Ask.class, this::onAsk)
                .onMessage(FirstAttemptFailed.class, this::onFirstAttemptFailed)
                .onMessage(ConnectionFree.class, this::onConnectionFree)
                .onMessage(ChainSeen.class, this::onChainSeen)
                .onMessage(Judged.class, this::onJudged)
                .onMessage(Answered.class, this::onAnswered)
                .onMessage(WaitedTooLong.class, this::onWaitedTooLong)
                .onMessage(NextSweep.class, this::onNextSweep)
                .onMessage(QuotaMayBeFree.class, this::onQuotaMayBeFree)
                .onSignal(PreRestart.class, signal -> abandonAll())
                .onSignal(PostStop.class, signal -> stop())
                .build();
    }

    private Behavior<Command> onAsk(Ask ask) {
        CallTrace<?> trace = new CallTrace<>(ask.call(), ask.start());
        underWay.add(trace);
        beginSweep(trace);
        return this;
    }

    private Behavior<Command> onFirstAttemptFailed(FirstAttemptFailed<?> failed) {
        continueCall(failed);
        return this;
    }

    private <T> void continueCall(FirstAttemptFailed<T> failed) {
        CallTrace<T> trace = new CallTrace<>(failed.call(), failed.start());
        underWay.add(trace);
        trace.order = withFirst(failed.node(), trace);
        trace.step = 1;
        trace.attempt = 1;
        settle(trace, failed.node(), failed.outcome());
    }

    /** Returns the order of the sweep as if it had started here: the given node, then the other candidates. */
    private List<UpstreamNode> withFirst(UpstreamNode first, CallTrace<?> trace) {
        List<UpstreamNode> order = new ArrayList<>();
        order.add(first);
        try {
            List<UpstreamNode> ours = rotation.ofOurChain(trace.call, trace.start);
            if (!ours.isEmpty()) {
                rotation.candidates(trace.call, ours, clock.getAsLong()).stream()
                        .filter(node -> node != first)
                        .forEach(order::add);
            }
        } catch (NodeException e) {
            LOG.debug("no other node for {}: {}", trace.call.method, e.getMessage());
        }
        return order;
    }

    private Behavior<Command> onNextSweep(NextSweep next) {
        if (isHeld(next.trace())) {
            beginSweep(next.trace());
        }
        return this;
    }

    private Behavior<Command> onQuotaMayBeFree(QuotaMayBeFree waited) {
        if (isHeld(waited.trace())) {
            waitingForQuota--;
            beginSweep(waited.trace());
        }
        return this;
    }

    private Behavior<Command> onChainSeen(ChainSeen seen) {
        rotation.nodes().stream()
                .filter(node -> node.url.equals(seen.url()))
                .forEach(node -> node.publish(node.health().withChain(seen.chain(), seen.why())));
        for (CallTrace<?> trace : List.copyOf(unjudged)) {
            if (!rotation.awaitsJudgement(trace.call, trace.start)) {
                unjudged.remove(trace);
                beginSweep(trace);
            }
        }
        return this;
    }

    /** Ends the sweep of a call after all nodes were asked for their chain and none was found to be of ours. */
    private Behavior<Command> onJudged(Judged judged) {
        CallTrace<?> trace = judged.trace();
        if (unjudged.remove(trace)) {
            rotation.unjudged(trace.call, trace.start)
                    .ifPresent(node ->
                            trace.lastFailure = new Failure(node, node.health().why()));
            endSweep(trace);
        }
        return this;
    }

    private Behavior<Command> onAnswered(Answered<?> answered) {
        if (isHeld(answered.trace())) {
            settle(answered);
        }
        return this;
    }

    /** Returns whether a call is still held here. False for calls that were under way before a restart: they have already failed. */
    private boolean isHeld(CallTrace<?> trace) {
        return underWay.contains(trace);
    }

    private <T> void settle(Answered<T> answered) {
        settle(answered.trace(), answered.node(), answered.outcome());
    }

    private Behavior<Command> onConnectionFree(ConnectionFree free) {
        serveWaiting(free.node());
        return this;
    }

    /** Gives free connections to waiting calls, foreground calls first. Calls that must wait for a quota begin a new sweep, in a later message. */
    private void serveWaiting(UpstreamNode node) {
        for (Priority priority : Priority.values()) {
            Deque<CallTrace<?>> queue = queues.get(node).get(priority);
            while (!queue.isEmpty() && node.limiter.tryTake(priority)) {
                CallTrace<?> next = queue.peek();
                leaveQueue(next);
                if (node.pause(next.call, clock.getAsLong()) > 0) {
                    node.limiter.release(priority);
                    getContext().getSelf().tell(new NextSweep(next));
                } else {
                    exchange(next, node);
                }
            }
        }
    }

    private Behavior<Command> onWaitedTooLong(WaitedTooLong waited) {
        CallTrace<?> trace = waited.trace();
        if (trace.waitingFor != null && trace.attempt == waited.attempt()) {
            UpstreamNode node = trace.waitingFor;
            leaveQueue(trace);
            failed(
                    trace,
                    node,
                    "no connection became free within " + settings.callTimeout().toMillis() + " ms");
        }
        return this;
    }

    private Behavior<Command> abandonAll() {
        for (CallTrace<?> trace : List.copyOf(underWay)) {
            if (trace.waitingFor != null) {
                leaveQueue(trace);
            }
            UpstreamCalls.abandon(trace.call);
        }
        underWay.clear();
        unjudged.clear();
        return this;
    }

    private Behavior<Command> stop() {
        calls.close();
        stopped.run();
        return abandonAll();
    }

    private void beginSweep(CallTrace<?> trace) {
        Call<?> call = trace.call;
        try {
            long now = clock.getAsLong();
            List<UpstreamNode> ours = rotation.ofOurChain(call, trace.start);
            if (ours.isEmpty()) {
                awaitJudgement(trace);
                return;
            }
            long pause = rotation.pause(call, ours, now);
            if (pause > 0 && waitingForQuota < MAX_WAITING_FOR_QUOTA) {
                waitForQuota(trace, pause);
                return;
            }
            trace.order = rotation.candidates(call, ours, now);
        } catch (NodeException e) {
            finish(trace, e);
            return;
        }
        trace.step = 0;
        askNext(trace);
    }

    private void awaitJudgement(CallTrace<?> trace) {
        if (unjudged.size() >= MAX_WAITING_FOR_JUDGEMENT) {
            finish(
                    trace,
                    new NodeException.Unreachable(
                            MAX_WAITING_FOR_JUDGEMENT + " calls wait for a " + calls.noun() + " already", false));
            return;
        }
        unjudged.add(trace);
        getContext().pipeToSelf(calls.judge(), (asked, failure) -> new Judged(trace));
    }

    private void waitForQuota(CallTrace<?> trace, long pause) {
        waitingForQuota++;
        getContext().scheduleOnce(Duration.ofMillis(pause), getContext().getSelf(), new QuotaMayBeFree(trace));
        metrics.waitedForQuota();
    }

    private void askNext(CallTrace<?> trace) {
        if (trace.step == trace.order.size()) {
            endSweep(trace);
            return;
        }
        UpstreamNode node = trace.order.get(trace.step++);
        trace.attempt++;
        Priority priority = trace.call.priority();
        Deque<CallTrace<?>> queue = queues.get(node).get(priority);
        int most = MAX_WAITING_PER_NODE.get(priority);
        if (node.limiter.tryTakeInTurn(priority)) {
            exchange(trace, node);
        } else if (queue.size() < most) {
            enterQueue(trace, node, queue);
            serveWaiting(node);
        } else {
            failed(trace, node, most + " calls wait for it already");
        }
    }

    private void enterQueue(CallTrace<?> trace, UpstreamNode node, Deque<CallTrace<?>> queue) {
        queue.add(trace);
        trace.waitingFor = node;
        // Scheduled before the call is counted as waiting, so that each counted call has its timeout.
        getContext()
                .scheduleOnce(settings.callTimeout(), getContext().getSelf(), new WaitedTooLong(trace, trace.attempt));
        node.limiter.beginWaiting(trace.call.priority());
    }

    private void leaveQueue(CallTrace<?> trace) {
        UpstreamNode node = trace.waitingFor;
        queues.get(node).get(trace.call.priority()).remove(trace);
        node.limiter.endWaiting(trace.call.priority());
        trace.waitingFor = null;
    }

    private void endSweep(CallTrace<?> trace) {
        Call<?> call = trace.call;
        trace.sweep++;
        int attempts = call.view.attempts() > 0 ? call.view.attempts() : settings.attempts();
        if (trace.sweep >= attempts) {
            finish(trace, unanswered(trace));
            return;
        }
        Duration wait = settings.backoff().multipliedBy(trace.sweep);
        getContext().scheduleOnce(wait, getContext().getSelf(), new NextSweep(trace));
        metrics.sweepRepeated();
    }

    /**
     * A broadcast fails as unreachable, because a node of our chain may have it, and so does a call that finds out the chain of a node, because
     * silence says nothing new about it.
     */
    private NodeException unanswered(CallTrace<?> trace) {
        Call<?> call = trace.call;
        String text = "no " + calls.noun() + " answered " + call.method + " in " + trace.sweep
                + (trace.sweep == 1 ? " sweep" : " sweeps") + "; the last one tried was " + trace.lastFailure;
        return rotation.whyOther(call, trace.start)
                .filter(why -> call.bucket() != Bucket.TX && !call.view.anyChain())
                .<NodeException>map(why -> NodeException.WrongChain.unasked(why + "; " + text))
                .orElseGet(() -> new NodeException.Unreachable(
                        text, trace.lastFailure == null ? "" : trace.lastFailure.why(), trace.answerLost));
    }

    private <T> void exchange(CallTrace<T> trace, UpstreamNode node) {
        var self = getContext().getSelf();
        exchanger.send(
                trace.call,
                node,
                outcome -> {
                    if (outcome instanceof AnswerDecoder.Attempt.Result<T> result) {
                        trace.call.reply.complete(result.value());
                    }
                    self.tell(new Answered<>(trace, node, outcome));
                },
                () -> self.tell(new ConnectionFree(node)));
    }

    private <T> void settle(CallTrace<T> trace, UpstreamNode node, AnswerDecoder.Attempt<T> outcome) {
        if (outcome instanceof AnswerDecoder.Attempt.Result<T>) {
            ended(trace, "ok");
        } else if (outcome instanceof AnswerDecoder.Attempt.NoAnswer<T> none) {
            trace.answerLost |= none.mayHaveArrived();
            failed(trace, node, none.why());
        } else if (outcome instanceof AnswerDecoder.Attempt.Refused<T> refused) {
            refused(trace, node, refused.failure());
        }
    }

    private void failed(CallTrace<?> trace, UpstreamNode node, String why) {
        LOG.debug("{} at {}: {}", trace.call.method, node.url, why);
        trace.lastFailure = new Failure(node, why);
        askNext(trace);
    }

    private void refused(CallTrace<?> trace, UpstreamNode node, NodeException failure) {
        if (failure instanceof NodeException.WrongChain && trace.step < trace.order.size()) {
            failed(trace, node, failure.getMessage());
            return;
        }
        if (failure instanceof NodeException.Rejected rejected) {
            if (isTipRace(rejected) && trace.tipRaces < TIP_RACES) {
                trace.tipRaces++;
                trace.step--;
                askNext(trace);
                return;
            }
            boolean limited = remember(trace.call, node, rejected);
            if (limited && trace.call.timeouts != null) {
                beginSweep(trace);
                return;
            }
        }
        finish(trace, failure);
    }

    private static boolean isTipRace(NodeException.Rejected rejected) {
        return rejected.code() == INTERNAL && rejected.text().startsWith("Tip changed");
    }

    /** Records a refusal that concerns later calls too. Returns whether the node refused because of a quota. */
    private boolean remember(Call<?> call, UpstreamNode node, NodeException.Rejected rejected) {
        boolean limited = rejected.code() == INTERNAL && rejected.text().startsWith("Rate limit exceeded");
        if (limited) {
            LOG.warn("{} refuses {}: {}", node.url, call.method, rejected.text());
            node.quota(call.bucket()).refused(rejected.text(), clock.getAsLong());
        } else if (rejected.code() == METHOD_NOT_FOUND) {
            node.publish(node.health().lacking(call.method, clock.getAsLong()));
        }
        return limited;
    }

    private void finish(CallTrace<?> trace, NodeException failure) {
        ended(trace, failure instanceof NodeException.Rejected ? "rejected" : "failed");
        boolean doubtful = failure instanceof NodeException.Rejected && trace.answerLost;
        trace.call.reply.completeExceptionally(
                doubtful ? ((NodeException.Rejected) failure).afterLostAnswers() : failure);
    }

    private void ended(CallTrace<?> trace, String outcome) {
        underWay.remove(trace);
        metrics.ended(trace.call, outcome);
    }

    /** Reason why a node gave no answer. */
    private record Failure(UpstreamNode node, String why) {
        @Override
        public String toString() {
            return node.url + ": " + why;
        }
    }

    /** Progress of a call that was handed over to {@link Upstream}; used only by it. */
    private static final class CallTrace<T> {
        final Call<T> call;
        final int start;
        int sweep;
        List<UpstreamNode> order = List.of();
        int step;
        int attempt;
        int tipRaces;
        UpstreamNode waitingFor;
        boolean answerLost;
        /** Null before the first one. */
        Failure lastFailure;

        /** @param start index in the rotation of the call's first node */
        CallTrace(Call<T> call, int start) {
            this.call = Objects.requireNonNull(call);
            this.start = start;
        }
    }
}
