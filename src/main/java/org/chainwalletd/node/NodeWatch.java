package org.chainwalletd.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
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
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which chain this daemon is on: gets the tip and genesis id of each node every few seconds, pins the first id seen when none is
 * configured, and publishes the result as {@link NodesSeen} (chain protocol, section 5). It does not follow the chain: tips that the follower
 * requests are reported here too, so that only nodes not asked otherwise are asked from here. Talks to single nodes through {@link NodeClient}s,
 * and tells {@link Upstream} which nodes to avoid. On restart it reads the pinned id again and asks all nodes again; waiting callers get an error
 * that no node was reached.
 */
public final class NodeWatch extends AbstractBehavior<NodeWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);
    /** Number of checks between two requests for version and network, which change only when a node is replaced. */
    private static final int CHECKS_PER_DESCRIPTION = 60;

    public sealed interface Command {}

    /** Completes {@code reply} with the genesis id to sign with, after asking the nodes. */
    record Verify(CompletableFuture<Hash256> reply) implements Command {}

    /** A tip that a node reported in answer to another component's request. */
    record TipReported(String url, NodeClient.Tip tip) implements Command {}

    /** Asks at once each node whose chain is not known; {@code asked} completes when all have answered or failed. */
    record Judge(CompletableFuture<Void> asked) implements Command {}

    private record Check(int node) implements Command {}

    private record Checked(int node, Outcome<NodeClient.Tip> tip) implements Command {}

    private record Described(int node, Outcome<NodeClient.NodeInfo> info) implements Command {}

    private record Pinned(Hash256 genesis, Outcome<Void> written) implements Command {}

    private enum NextRound implements Command {
        NOW
    }

    /** State of one node. */
    private static final class Watched {
        final String url;
        final NodeClient client;
        NodesSeen.ChainMatch chain = NodesSeen.ChainMatch.UNKNOWN;
        boolean heard;
        boolean malformed;
        boolean checking;
        boolean answering;
        Hash256 genesis;
        NodeClient.Tip tip;
        NodeClient.NodeInfo info;
        int sinceDescription;
        Duration retry = FIRST_RETRY;
        String lastFailure = "";

        Watched(String url, NodeClient client) {
            this.url = url;
            this.client = client;
        }
    }

    private final Settings.Node settings;
    private final GenesisFile file;
    private final Executor disk;
    private final ActorRef<Upstream.Command> upstream;
    private final AtomicReference<NodesSeen> published;
    private final TimerScheduler<Command> timers;
    private final ChainRules.OperatorSettings chainSettings;
    private final List<Watched> nodes = new ArrayList<>();
    private final List<CompletableFuture<Hash256>> verifyRequests = new ArrayList<>();
    private final List<CompletableFuture<Void>> judgeRequests = new ArrayList<>();
    private Optional<Hash256> expected;
    private boolean pinning;
    private int rounds;

    /**
     * @param configured the operator's genesis id; empty to pin the first one seen
     * @param chainSettings other settings of the operator for the chain
     * @param clientOf returns a client that sends each call once, to the node with that URL
     * @param disk runs the write of the pinned id
     * @param published receives the state for readers on other threads
     */
    public static Behavior<Command> create(
            Settings.Node settings,
            Optional<Hash256> configured,
            ChainRules.OperatorSettings chainSettings,
            GenesisFile file,
            Executor disk,
            Function<String, NodeClient> clientOf,
            ActorRef<Upstream.Command> upstream,
            AtomicReference<NodesSeen> published) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(timers -> new NodeWatch(
                        context,
                        timers,
                        settings,
                        configured,
                        chainSettings,
                        file,
                        disk,
                        clientOf,
                        upstream,
                        published))))
                .onFailure(SupervisorStrategy.restart());
    }

    private NodeWatch(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Settings.Node settings,
            Optional<Hash256> configured,
            ChainRules.OperatorSettings chainSettings,
            GenesisFile file,
            Executor disk,
            Function<String, NodeClient> clientOf,
            ActorRef<Upstream.Command> upstream,
            AtomicReference<NodesSeen> published) {
        super(context);
        this.timers = timers;
        this.settings = settings;
        this.file = file;
        this.disk = disk;
        this.upstream = upstream;
        this.published = published;
        this.chainSettings = chainSettings;
        this.expected = configured.isPresent() ? configured : file.read();
        settings.urls().forEach(url -> nodes.add(new Watched(url.toString(), clientOf.apply(url.toString()))));
        checkAll();
        publish();
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Verify.class, this::onVerify)
                .onMessage(TipReported.class, this::onTipReported)
                .onMessage(Judge.class, this::onJudge)
                .onMessage(Check.class, this::onCheck)
                .onMessage(Checked.class, this::onChecked)
                .onMessage(Described.class, this::onDescribed)
                .onMessage(Pinned.class, this::onPinned)
                .onMessage(NextRound.class, this::onNextRound)
                .onSignal(PreRestart.class, signal -> abandonAll())
                .onSignal(PostStop.class, signal -> abandonAll())
                .build();
    }

    private Behavior<Command> onVerify(Verify verify) {
        NodesSeen now = published.get();
        if (now.maySign()) {
            verify.reply().complete(now.expected().orElseThrow());
            return this;
        }
        if (verifyRequests.isEmpty()) {
            rounds = 0;
            checkAll();
        }
        verifyRequests.add(verify.reply());
        return this;
    }

    private Behavior<Command> onNextRound(NextRound next) {
        checkAll();
        return this;
    }

    private Behavior<Command> onCheck(Check check) {
        check(check.node());
        return this;
    }

    private Behavior<Command> onChecked(Checked checked) {
        Watched node = nodes.get(checked.node());
        node.checking = false;
        checked.tip().match(tip -> answered(checked.node(), node, tip), failure -> failed(node, failure));
        schedule(checked.node(), node);
        publish();
        answerVerifyRequests();
        return this;
    }

    private Behavior<Command> onTipReported(TipReported reported) {
        for (int i = 0; i < nodes.size(); i++) {
            Watched node = nodes.get(i);
            if (node.url.equals(reported.url())) {
                answered(i, node, reported.tip());
                schedule(i, node);
            }
        }
        publish();
        answerVerifyRequests();
        return this;
    }

    private Behavior<Command> onJudge(Judge judge) {
        judgeRequests.add(judge.asked());
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).chain == NodesSeen.ChainMatch.UNKNOWN) {
                check(i);
            }
        }
        answerJudgeRequests();
        return this;
    }

    private void answerJudgeRequests() {
        boolean underWay =
                pinning || nodes.stream().anyMatch(node -> node.checking && node.chain == NodesSeen.ChainMatch.UNKNOWN);
        if (!underWay) {
            List.copyOf(judgeRequests).forEach(asked -> asked.complete(null));
            judgeRequests.clear();
        }
    }

    private void answered(int index, Watched node, NodeClient.Tip tip) {
        node.answering = true;
        node.heard = true;
        node.malformed = false;
        node.tip = tip;
        node.genesis = tip.genesisBlockId();
        if (expected.isEmpty() && node.genesis != null && !pinning) {
            pin(node);
        }
        if (node.sinceDescription++ % CHECKS_PER_DESCRIPTION == 0) {
            Outcome.pipe(getContext(), node.client.info(), info -> new Described(index, info));
        }
    }

    private void failed(Watched node, Throwable failure) {
        node.answering = false;
        if (failure instanceof NodeException.WrongChain) {
            node.heard = true;
            node.malformed = true;
            node.genesis = null;
            return;
        }
        String why = failure instanceof NodeException.Unreachable unreachable
                ? unreachable.lastFailure()
                : String.valueOf(failure.getMessage());
        if (node.lastFailure.isEmpty()) {
            LOG.warn("{} does not answer: {}", node.url, why);
        }
        node.lastFailure = why;
    }

    private void schedule(int index, Watched node) {
        if (node.answering && !node.lastFailure.isEmpty()) {
            LOG.info("{} answers again", node.url);
            node.lastFailure = "";
        }
        Duration wait = node.answering ? INTERVAL : node.retry;
        Duration doubled = node.retry.multipliedBy(2);
        node.retry = node.answering ? FIRST_RETRY : doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
        timers.startSingleTimer(index, new Check(index), wait);
    }

    private Behavior<Command> onDescribed(Described described) {
        Watched node = nodes.get(described.node());
        described.info().match(info -> describe(node, info), failure -> node.sinceDescription = 0);
        return this;
    }

    private void describe(Watched node, NodeClient.NodeInfo info) {
        node.info = info;
        publish();
    }

    private void pin(Watched node) {
        Hash256 genesis = node.genesis;
        pinning = true;
        LOG.info("{} is of the chain with genesis {}; pinning it", node.url, genesis);
        CompletionStage<Void> written = CompletableFuture.runAsync(() -> file.write(genesis), disk);
        Outcome.pipe(getContext(), written, nothing -> new Pinned(genesis, nothing));
    }

    private Behavior<Command> onPinned(Pinned pinned) {
        pinning = false;
        pinned.written().match(done -> expect(pinned.genesis()), this::notPinned);
        return this;
    }

    private void expect(Hash256 genesis) {
        expected = Optional.of(genesis);
        publish();
        answerVerifyRequests();
    }

    private void notPinned(Throwable failure) {
        LOG.error("the genesis id cannot be pinned", failure);
        answerJudgeRequests();
        failVerifyRequests(new IllegalStateException("the genesis id cannot be pinned in the datadir"));
    }

    private Behavior<Command> abandonAll() {
        failVerifyRequests(new NodeException.Unreachable("the nodes were not asked which chain they are of"));
        judgeRequests.forEach(asked -> asked.complete(null));
        return this;
    }

    private void checkAll() {
        for (int i = 0; i < nodes.size(); i++) {
            check(i);
        }
    }

    private void check(int index) {
        Watched node = nodes.get(index);
        if (node.checking) {
            return;
        }
        node.checking = true;
        Outcome.pipe(getContext(), node.client.tip(), tip -> new Checked(index, tip));
    }

    private void publish() {
        List<NodesSeen.Seen> seen = new ArrayList<>();
        for (Watched node : nodes) {
            node.chain = match(node);
            seen.add(new NodesSeen.Seen(
                    node.url,
                    node.chain,
                    node.answering,
                    node.genesis,
                    node.tip,
                    node.info == null ? null : node.info.network(),
                    node.info == null ? null : node.info.version()));
        }
        NodesSeen before = published.get();
        NodesSeen now = new NodesSeen(expected, chainSettings, seen);
        published.set(now);
        for (int i = 0; i < nodes.size(); i++) {
            upstream.tell(judged(now, seen.get(i), nodes.get(i)));
        }
        if (before != null && !before.complaint().equals(now.complaint())) {
            now.complaint().ifPresent(text -> LOG.error("{}", text));
        }
    }

    private NodesSeen.ChainMatch match(Watched node) {
        if (node.malformed) {
            return NodesSeen.ChainMatch.MALFORMED;
        }
        return node.heard ? NodesSeen.match(expected, node.genesis) : NodesSeen.ChainMatch.UNKNOWN;
    }

    private Upstream.ChainSeen judged(NodesSeen now, NodesSeen.Seen seen, Watched node) {
        if (now.isAccepted(seen)) {
            return new Upstream.ChainSeen(node.url, UpstreamNode.NodeHealth.Chain.OURS, "");
        }
        return now.isRefused(seen)
                ? new Upstream.ChainSeen(node.url, UpstreamNode.NodeHealth.Chain.OTHER, now.complaintAbout(seen))
                : new Upstream.ChainSeen(node.url, UpstreamNode.NodeHealth.Chain.UNJUDGED, node.lastFailure);
    }

    /** Answers waiting callers if that is now possible; schedules another round if all nodes were asked without success. */
    private void answerVerifyRequests() {
        answerJudgeRequests();
        boolean underWay = pinning || nodes.stream().anyMatch(node -> node.checking);
        NodesSeen now = published.get();
        if (now.maySign()) {
            List.copyOf(verifyRequests)
                    .forEach(reply -> reply.complete(now.expected().orElseThrow()));
            verifyRequests.clear();
        } else if (!verifyRequests.isEmpty() && !underWay) {
            endRound(now);
        }
    }

    private void endRound(NodesSeen now) {
        Optional<Watched> silent = nodes.stream().filter(node -> !node.heard).reduce((earlier, later) -> later);
        if (now.complaint().isPresent()) {
            failVerifyRequests(new NodeException.WrongChain(now.complaint().get()));
        } else if (silent.isEmpty()) {
            failVerifyRequests(new NodeException.WrongChain(
                    "no node says which chain it is of; name the chain with --expect-genesis"));
        } else if (++rounds >= settings.attempts()) {
            failVerifyRequests(new NodeException.Unreachable("no node told which chain it is of in " + rounds
                    + " sweeps; the last one tried was " + silent.get().url + ": " + silent.get().lastFailure));
        } else {
            timers.startSingleTimer(
                    NextRound.NOW, NextRound.NOW, settings.backoff().multipliedBy(rounds));
        }
    }

    private void failVerifyRequests(RuntimeException failure) {
        List.copyOf(verifyRequests).forEach(reply -> reply.completeExceptionally(failure));
        verifyRequests.clear();
    }
}
