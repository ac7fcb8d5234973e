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
 * Owns the calls that do not go straight through: failover, sweeps, the queues for places at the nodes, waiting for quotas, and the
 * standing of each node, which it publishes (interface.md, section 1.7; chain protocol, sections 10 and 14). Calls come from {@link
 * UpstreamCalls} and leave through the {@link Exchanger}; whom a call asks is the {@link Rotation}'s word. On restart the calls that it
 * holds fail as unreachable, and what it knows of the nodes stays.
 */
final class Upstream extends AbstractBehavior<Upstream.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);
    private static final Map<Lane, Integer> MAX_WAITING_PER_NODE =
            new EnumMap<>(Map.of(Lane.FOREGROUND, 4096, Lane.BACKGROUND, 1024));
    /** Of calls that wait for quotas; each of them has a time of its own. */
    private static final int MAX_WAITING_FOR_QUOTA = 4096;

    private static final int MAX_WAITING_FOR_JUDGEMENT = 4096;

    private static final int TIP_RACES = 3;
    private static final int INTERNAL = -32603;
    private static final int METHOD_NOT_FOUND = -32601;

    sealed interface Command {}

    /** Asks the nodes; the outcome completes {@code call.reply}. */
    record Ask(Call<?> call, int start) implements Command {}

    /** {@code node}, the first one asked, gave no result: goes on with the call. */
    record Tripped<T>(Call<T> call, int start, UpstreamNode node, Attempt<T> outcome) implements Command {}

    /** A connection to {@code node} was closed while calls waited for one. */
    record PlaceFree(UpstreamNode node) implements Command {}

    /** Which chain a node is of, as far as is known; with the reason. */
    record ChainSeen(String url, Standing.Chain chain, String why) implements Command {}

    private record Judged(Journey<?> journey) implements Command {}

    private record Answered<T>(Journey<T> journey, UpstreamNode node, Attempt<T> outcome) implements Command {}

    private record WaitedTooLong(Journey<?> journey, int attempt) implements Command {}

    private record NextSweep(Journey<?> journey) implements Command {}

    private record QuotaMayBeFree(Journey<?> journey) implements Command {}

    private final Settings.Node settings;
    private final UpstreamCalls calls;
    private final Rotation rotation;
    private final Exchanger exchanger;
    private final LongSupplier clock;
    private final UpstreamMetrics metrics;
    private final Runnable stopped;
    private final Set<Journey<?>> underWay = new HashSet<>();
    /** Those that may ask no node before it is known to be of our chain. */
    private final Set<Journey<?>> unjudged = new LinkedHashSet<>();

    private final Map<UpstreamNode, Map<Lane, Deque<Journey<?>>>> queues = new HashMap<>();
    private int waitingForQuota;

    /**
     * @param clock milliseconds that never go back
     * @param stopped run when this has stopped for good
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
                    new EnumMap<>(Map.of(Lane.FOREGROUND, new ArrayDeque<>(), Lane.BACKGROUND, new ArrayDeque<>())));
        }
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Ask.class, this::onAsk)
                .onMessage(Tripped.class, this::onTripped)
                .onMessage(PlaceFree.class, this::onPlaceFree)
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
        Journey<?> journey = new Journey<>(ask.call(), ask.start());
        underWay.add(journey);
        beginSweep(journey);
        return this;
    }

    private Behavior<Command> onTripped(Tripped<?> tripped) {
        goOn(tripped);
        return this;
    }

    private <T> void goOn(Tripped<T> tripped) {
        Journey<T> journey = new Journey<>(tripped.call(), tripped.start());
        underWay.add(journey);
        journey.order = withFirst(tripped.node(), journey);
        journey.step = 1;
        journey.attempt = 1;
        settle(journey, tripped.node(), tripped.outcome());
    }

    /** The sweep that a call would have made from the start. */
    private List<UpstreamNode> withFirst(UpstreamNode first, Journey<?> journey) {
        List<UpstreamNode> order = new ArrayList<>();
        order.add(first);
        try {
            List<UpstreamNode> ours = rotation.ofOurChain(journey.call, journey.start);
            if (!ours.isEmpty()) {
                rotation.candidates(journey.call, ours, clock.getAsLong()).stream()
                        .filter(node -> node != first)
                        .forEach(order::add);
            }
        } catch (NodeException e) {
            LOG.debug("no other node for {}: {}", journey.call.method, e.getMessage());
        }
        return order;
    }

    private Behavior<Command> onNextSweep(NextSweep next) {
        if (isHeld(next.journey())) {
            beginSweep(next.journey());
        }
        return this;
    }

    private Behavior<Command> onQuotaMayBeFree(QuotaMayBeFree waited) {
        if (isHeld(waited.journey())) {
            waitingForQuota--;
            beginSweep(waited.journey());
        }
        return this;
    }

    private Behavior<Command> onChainSeen(ChainSeen seen) {
        rotation.nodes().stream()
                .filter(node -> node.url.equals(seen.url()))
                .forEach(node -> node.publish(node.standing().withChain(seen.chain(), seen.why())));
        for (Journey<?> journey : List.copyOf(unjudged)) {
            if (!rotation.awaitsJudgement(journey.call, journey.start)) {
                unjudged.remove(journey);
                beginSweep(journey);
            }
        }
        return this;
    }

    /** Each node that it could ask was asked which chain it is of: those that did not answer have failed it. */
    private Behavior<Command> onJudged(Judged judged) {
        Journey<?> journey = judged.journey();
        if (unjudged.remove(journey)) {
            journey.lastFailure = rotation.whyUnjudged(journey.call, journey.start);
            endSweep(journey);
        }
        return this;
    }

    private Behavior<Command> onAnswered(Answered<?> answered) {
        if (isHeld(answered.journey())) {
            settle(answered);
        }
        return this;
    }

    /** False for what was under way before a restart: those calls have failed already. */
    private boolean isHeld(Journey<?> journey) {
        return underWay.contains(journey);
    }

    private <T> void settle(Answered<T> answered) {
        settle(answered.journey(), answered.node(), answered.outcome());
    }

    private Behavior<Command> onPlaceFree(PlaceFree free) {
        serveWaiting(free.node());
        return this;
    }

    /** Those whom somebody waits for come first. */
    private void serveWaiting(UpstreamNode node) {
        for (Lane lane : Lane.values()) {
            Deque<Journey<?>> queue = queues.get(node).get(lane);
            while (!queue.isEmpty() && node.places.tryTake(lane)) {
                Journey<?> next = queue.peek();
                leaveQueue(next);
                if (node.pause(next.call, clock.getAsLong()) > 0) {
                    node.places.giveBack(lane);
                    beginSweep(next);
                } else {
                    exchange(next, node);
                }
            }
        }
    }

    private Behavior<Command> onWaitedTooLong(WaitedTooLong waited) {
        Journey<?> journey = waited.journey();
        if (journey.waitingFor != null && journey.attempt == waited.attempt()) {
            UpstreamNode node = journey.waitingFor;
            leaveQueue(journey);
            failed(
                    journey,
                    node,
                    "no connection became free within " + settings.callTimeout().toMillis() + " ms");
        }
        return this;
    }

    private Behavior<Command> abandonAll() {
        for (Journey<?> journey : List.copyOf(underWay)) {
            if (journey.waitingFor != null) {
                leaveQueue(journey);
            }
            UpstreamCalls.abandon(journey.call);
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

    private void beginSweep(Journey<?> journey) {
        Call<?> call = journey.call;
        try {
            long now = clock.getAsLong();
            List<UpstreamNode> ours = rotation.ofOurChain(call, journey.start);
            if (ours.isEmpty()) {
                awaitJudgement(journey);
                return;
            }
            long pause = rotation.pause(call, ours, now);
            if (pause > 0 && waitingForQuota < MAX_WAITING_FOR_QUOTA) {
                waitForQuota(journey, pause);
                return;
            }
            journey.order = rotation.candidates(call, ours, now);
        } catch (NodeException e) {
            finish(journey, e);
            return;
        }
        journey.step = 0;
        askNext(journey);
    }

    private void awaitJudgement(Journey<?> journey) {
        if (unjudged.size() >= MAX_WAITING_FOR_JUDGEMENT) {
            finish(
                    journey,
                    new NodeException.Unreachable(
                            MAX_WAITING_FOR_JUDGEMENT + " calls wait for a " + calls.noun() + " already", false));
            return;
        }
        unjudged.add(journey);
        getContext().pipeToSelf(calls.judge(), (asked, failure) -> new Judged(journey));
    }

    private void waitForQuota(Journey<?> journey, long pause) {
        waitingForQuota++;
        getContext().scheduleOnce(Duration.ofMillis(pause), getContext().getSelf(), new QuotaMayBeFree(journey));
        metrics.waitedForQuota();
    }

    private void askNext(Journey<?> journey) {
        if (journey.step == journey.order.size()) {
            endSweep(journey);
            return;
        }
        UpstreamNode node = journey.order.get(journey.step++);
        journey.attempt++;
        Lane lane = journey.call.lane();
        Deque<Journey<?>> queue = queues.get(node).get(lane);
        int most = MAX_WAITING_PER_NODE.get(lane);
        if (node.places.tryTakeInTurn(lane)) {
            exchange(journey, node);
        } else if (queue.size() < most) {
            enterQueue(journey, node, queue);
            serveWaiting(node);
        } else {
            failed(journey, node, most + " calls wait for it already");
        }
    }

    private void enterQueue(Journey<?> journey, UpstreamNode node, Deque<Journey<?>> queue) {
        queue.add(journey);
        node.places.beginWaiting(journey.call.lane());
        journey.waitingFor = node;
        getContext()
                .scheduleOnce(
                        settings.callTimeout(), getContext().getSelf(), new WaitedTooLong(journey, journey.attempt));
    }

    private void leaveQueue(Journey<?> journey) {
        UpstreamNode node = journey.waitingFor;
        queues.get(node).get(journey.call.lane()).remove(journey);
        node.places.endWaiting(journey.call.lane());
        journey.waitingFor = null;
    }

    private void endSweep(Journey<?> journey) {
        Call<?> call = journey.call;
        journey.sweep++;
        int attempts = call.view.attempts() > 0 ? call.view.attempts() : settings.attempts();
        if (journey.sweep >= attempts) {
            finish(
                    journey,
                    new NodeException.Unreachable(
                            "no " + calls.noun() + " answered " + call.method + " in " + journey.sweep
                                    + (journey.sweep == 1 ? " sweep" : " sweeps") + "; the last one tried was "
                                    + journey.lastFailure,
                            journey.answerLost));
            return;
        }
        Duration wait = settings.backoff().multipliedBy(journey.sweep);
        getContext().scheduleOnce(wait, getContext().getSelf(), new NextSweep(journey));
        metrics.sweepRepeated();
    }

    private <T> void exchange(Journey<T> journey, UpstreamNode node) {
        var self = getContext().getSelf();
        exchanger.send(
                journey.call,
                node,
                outcome -> {
                    if (outcome instanceof Attempt.Result<T> result) {
                        journey.call.reply.complete(result.value());
                    }
                    self.tell(new Answered<>(journey, node, outcome));
                },
                () -> self.tell(new PlaceFree(node)));
    }

    private <T> void settle(Journey<T> journey, UpstreamNode node, Attempt<T> outcome) {
        if (outcome instanceof Attempt.Result<T>) {
            ended(journey, "ok");
        } else if (outcome instanceof Attempt.NoAnswer<T> none) {
            journey.answerLost |= none.mayHaveArrived();
            failed(journey, node, none.why());
        } else if (outcome instanceof Attempt.Refused<T> refused) {
            refused(journey, node, refused.failure());
        }
    }

    private void failed(Journey<?> journey, UpstreamNode node, String why) {
        LOG.debug("{} at {}: {}", journey.call.method, node.url, why);
        journey.lastFailure = node.url + ": " + why;
        askNext(journey);
    }

    private void refused(Journey<?> journey, UpstreamNode node, NodeException failure) {
        if (failure instanceof NodeException.WrongChain && journey.step < journey.order.size()) {
            failed(journey, node, failure.getMessage());
            return;
        }
        if (failure instanceof NodeException.Rejected rejected) {
            if (isTipRace(rejected) && journey.tipRaces < TIP_RACES) {
                journey.tipRaces++;
                journey.step--;
                askNext(journey);
                return;
            }
            boolean limited = remember(journey.call, node, rejected);
            if (limited && journey.call.patience != null) {
                beginSweep(journey);
                return;
            }
        }
        finish(journey, failure);
    }

    private static boolean isTipRace(NodeException.Rejected rejected) {
        return rejected.code() == INTERNAL && rejected.text().startsWith("Tip changed");
    }

    /** Whether the node refused for a quota. */
    private boolean remember(Call<?> call, UpstreamNode node, NodeException.Rejected rejected) {
        boolean limited = rejected.code() == INTERNAL && rejected.text().startsWith("Rate limit exceeded");
        if (limited) {
            LOG.warn("{} refuses {}: {}", node.url, call.method, rejected.text());
            node.quota(call.bucket()).refused(rejected.text(), clock.getAsLong());
        } else if (rejected.code() == METHOD_NOT_FOUND) {
            node.publish(node.standing().lacking(call.method, clock.getAsLong()));
        }
        return limited;
    }

    private void finish(Journey<?> journey, NodeException failure) {
        ended(journey, failure instanceof NodeException.Rejected ? "rejected" : "failed");
        boolean doubtful = failure instanceof NodeException.Rejected && journey.answerLost;
        journey.call.reply.completeExceptionally(
                doubtful ? ((NodeException.Rejected) failure).afterLostAnswers() : failure);
    }

    private void ended(Journey<?> journey, String outcome) {
        underWay.remove(journey);
        metrics.ended(journey.call, outcome);
    }
}
