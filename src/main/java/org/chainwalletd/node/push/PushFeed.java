package org.chainwalletd.node.push;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.net.HttpPeers;

/**
 * Owner of the list of addresses to watch, by reason; has one {@link NodeStreams} per node watch as many of the first as possible. Changes are
 * collected for a moment before they are passed on. Any component may ask to have an address watched; {@link PushNews} goes to one listener. Not
 * restarted: its children restart by themselves, and it does nothing that can fail.
 */
public final class PushFeed extends AbstractBehavior<PushFeed.Command> {
    private static final Duration COLLECTION_TIME = Duration.ofMillis(100);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT_WITHIN = Duration.ofSeconds(60);
    /** Placeholder address for a stream that is opened only for tips, since a stream needs an address. */
    private static final Address PLACEHOLDER = Address.of(new byte[Address.LENGTH]);

    public sealed interface Command {}

    /** Adds one request to watch the address for this reason. */
    public record Want(WatchReason reason, Address address) implements Command {}

    /** Withdraws one such request. */
    public record Unwant(WatchReason reason, Address address) implements Command {}

    /** Replaces the addresses that are watched for this reason, most urgent first. */
    public record WantAll(WatchReason reason, Collection<Address> addresses) implements Command {}

    private enum Pass implements Command {
        ON
    }

    private final TimerScheduler<Command> timers;
    private final int most;
    private final List<ActorRef<NodeStreams.Command>> nodes = new ArrayList<>();
    private final Map<WatchReason, Map<Address, Integer>> wanted = new EnumMap<>(WatchReason.class);

    /**
     * @param ours whether the node at a URL is known to be of our chain; no stream to another node is opened
     * @param news must not block
     */
    public static Behavior<Command> create(
            ActorSystem<?> system, HttpPeers peers, List<URI> urls, Predicate<String> ours, Consumer<PushNews> news) {
        return create(
                urls,
                ours,
                url -> new PushConnection(system, peers.to(url), ANSWER_WITHIN, HEARTBEAT_WITHIN),
                NodeStreams.Rules.OF_A_NODE,
                news);
    }

    static Behavior<Command> create(
            List<URI> urls,
            Predicate<String> ours,
            Function<URI, PushConnection> connect,
            NodeStreams.Rules rules,
            Consumer<PushNews> news) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new PushFeed(context, timers, urls, ours, connect, rules, news)));
    }

    private PushFeed(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            List<URI> urls,
            Predicate<String> ours,
            Function<URI, PushConnection> connect,
            NodeStreams.Rules rules,
            Consumer<PushNews> news) {
        super(context);
        this.timers = timers;
        this.most = rules.plan().addressesPerStream() * rules.plan().maxStreams();
        for (WatchReason reason : WatchReason.values()) {
            wanted.put(reason, new LinkedHashMap<>());
        }
        for (URI url : urls) {
            nodes.add(context.spawn(
                    NodeStreams.create(
                            url.toString(),
                            () -> ours.test(url.toString()),
                            connect.apply(url),
                            rules,
                            () -> System.nanoTime() / 1_000_000,
                            news),
                    "node-" + nodes.size()));
        }
        scheduleUpdate();
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Want.class, this::onWant)
                .onMessage(Unwant.class, this::onUnwant)
                .onMessage(WantAll.class, this::onWantAll)
                .onMessage(Pass.class, this::onPass)
                .build();
    }

    private Behavior<Command> onWant(Want want) {
        if (wanted.get(want.reason()).merge(want.address(), 1, Integer::sum) == 1) {
            scheduleUpdate();
        }
        return this;
    }

    private Behavior<Command> onUnwant(Unwant unwant) {
        wanted.get(unwant.reason())
                .computeIfPresent(unwant.address(), (address, count) -> count > 1 ? count - 1 : null);
        return this;
    }

    private Behavior<Command> onWantAll(WantAll all) {
        Map<Address, Integer> now = new LinkedHashMap<>();
        all.addresses().forEach(address -> now.put(address, 1));
        wanted.put(all.reason(), now);
        scheduleUpdate();
        return this;
    }

    /**
     * Schedules an update of the nodes' lists. An address no longer wanted is dropped only with the next update, since there is no use in ending a
     * stream early.
     */
    private void scheduleUpdate() {
        if (!timers.isTimerActive(Pass.ON)) {
            timers.startSingleTimer(Pass.ON, Pass.ON, COLLECTION_TIME);
        }
    }

    private Behavior<Command> onPass(Pass pass) {
        Set<Address> first = new LinkedHashSet<>();
        for (Map<Address, Integer> ofReason : wanted.values()) {
            for (Address address : ofReason.keySet()) {
                if (first.size() == most) {
                    break;
                }
                first.add(address);
            }
        }
        if (first.isEmpty()) {
            first.add(PLACEHOLDER);
        }
        List<Address> list = List.copyOf(first);
        nodes.forEach(node -> node.tell(new NodeStreams.Watch(list)));
        return this;
    }

    /** Reason to watch an address, the most urgent first (following.md, section 5). */
    public enum WatchReason {
        /** A call waits for a payment to the address. */
        WAIT,
        /** The address belongs to a party of an open HTLC. */
        HTLC,
        /** A call waits for the next credit of the address. */
        FEED,
        /** The address was created recently. */
        NEWEST,
        /** The key of the address is elsewhere. */
        WATCH_ONLY
    }
}
