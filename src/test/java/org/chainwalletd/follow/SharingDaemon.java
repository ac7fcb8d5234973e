package org.chainwalletd.follow;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.CreditBook;
import org.chainwalletd.coins.SeenCredits;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.event.EventHub;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.htlc.HtlcNews;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.wait.AddressWatch;
import org.chainwalletd.wait.WaitSetup;
import org.chainwalletd.wait.Waits;

/**
 * Daemon that shares its books on a database with others, and uses real sockets to its own nodes: with all that follows, waits and serves the
 * credit feed.
 */
final class SharingDaemon implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(20);

    final ActorTestKit kit = ActorTestKit.create();
    final List<FollowEvent> events = new CopyOnWriteArrayList<>();
    final Books books;
    final Follower follower;
    final CreditFeed feed;
    final Waits waits;
    final EventStreams streams;
    final Keeper keeper = Keeper.under(Spawners.of(kit));
    final ActorRef<SeenCredits.Command> seen;
    final Sightings sightings;
    /** HTLCs that this daemon has published, one entry per event. */
    final List<Outpoint> htlcs = new CopyOnWriteArrayList<>();

    private final ModelBooks model;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private boolean killed;

    SharingDaemon(TestDatabase database, Path folder, URI... nodes) {
        this(database, folder, setup -> setup, nodes);
    }

    SharingDaemon(TestDatabase database, Path folder, UnaryOperator<FollowerSetup> change, URI... nodes) {
        String url = database.url().replace("postgresql://postgres@", "jdbc:postgresql://")
                + "&user=postgres&prepareThreshold=0&connectTimeout=10";
        this.model = new ModelBooks(
                (any, tables) -> Books.openShared(database.through(() -> DriverManager.getConnection(url)), tables),
                folder);
        this.books = model.file();
        keeper.add("books", books::beginRun, books::endEpoch);
        Settings.Node settings = new Settings.Node(
                List.of(nodes), 1, Duration.ofMillis(50), Duration.ofSeconds(10), 8 << 20, 32, Optional.empty());
        NodeClient client = Nodes.clientOf(kit.system(), settings, executor, new SimpleMeterRegistry());
        List<FollowedNode> followed = new ArrayList<>();
        for (NodeClient one : client.each()) {
            followed.add(new FollowedNode(nodes[followed.size()].toString(), one));
        }
        FollowerSetup setup = change.apply(new FollowerSetup(
                ModelChain.PROFILE,
                new FollowerSetup.Sources(followed, client.hasty(), FollowRig.known(Network.DEVNET)),
                books,
                model.books(),
                FollowerSetup.Rules.DEFAULT,
                new WorkCheck(ModelChain.PROFILE, executor),
                new SimpleMeterRegistry(),
                INTERVAL,
                settings.callTimeout(),
                Clock.systemUTC(),
                executor));
        follower = Follower.start(keeper, setup);
        follower.subscribe(kit.spawn(Behaviors.<FollowEvent>receiveMessage(event -> {
            events.add(event);
            return Behaviors.same();
        })));
        feed = new CreditFeed(books, () -> follower.tip().map(FollowedTip::place));
        waits = Waits.start(
                Spawners.of(kit),
                new WaitSetup(
                        ModelChain.PROFILE,
                        client.hasty(),
                        client.each(),
                        List::of,
                        nodes.length,
                        address -> false,
                        Optional::empty,
                        follower::proves,
                        follower::subscribe,
                        executor,
                        () -> System.nanoTime() / 1_000_000),
                new AddressWatch() {
                    @Override
                    public void want(WatchReason reason, Address address) {}

                    @Override
                    public void unwant(WatchReason reason, Address address) {}
                },
                feed,
                (txId, tx) -> {},
                new SimpleMeterRegistry());
        streams = new EventStreams(
                kit.system(),
                follower,
                feed,
                waits,
                new EventHub(),
                () -> 100,
                address -> false,
                EventStreams.Limits.DEFAULT);
        SeenCredits.Setup pending = new SeenCredits.Setup(
                books,
                new CreditBook(ModelChain.PROFILE, model.credits()),
                client.each(),
                follower::subscribe,
                waits::creditsChanged,
                executor);
        SeenCredits.hearOthers(pending);
        seen = keeper.begin(
                "seen-credits", SeenCredits.create(pending), command -> SeenCredits.whileStopped(pending, command));
        sightings = new Sightings(books, null, new HtlcBook(ModelChain.PROFILE, model.htlcs()), executor);
        kit.spawn(HtlcNews.create(books, follower::tip, follower::subscribe, sightings, hearing(), keeper::isRunning));
    }

    private HtlcNews.HtlcListener hearing() {
        return new HtlcNews.HtlcListener() {
            @Override
            public boolean isListening() {
                return true;
            }

            @Override
            public void changed(HtlcRecords.HtlcRecord record) {
                htlcs.add(record.lock());
            }

            @Override
            public void removed(Outpoint lock) {}
        };
    }

    /** Gives this daemon the keeper's lease. */
    SharingDaemon keep() {
        keeper.start();
        return this;
    }

    void watch(Address... addresses) {
        model.watch(List.of(addresses));
    }

    void awaitTip(Devnet chain) {
        Hash256 tip = chain.tip().id();
        Await.until(
                "the daemon stands at " + chain.tip().height(),
                () -> follower.tip()
                        .filter(now -> now.place().blockId().equals(tip))
                        .isPresent());
    }

    /** Returns the blocks that the events lead to, lowest first; blocks without an event have no id. Fails if an event does not fit. */
    List<BlockPlace> fold() {
        return fold(events);
    }

    static List<BlockPlace> fold(List<FollowEvent> events) {
        List<BlockPlace> chain = new ArrayList<>();
        for (FollowEvent event : List.copyOf(events)) {
            BlockPlace top = chain.isEmpty() ? null : chain.get(chain.size() - 1);
            if (event instanceof FollowEvent.Positioned positioned) {
                BlockPlace now = positioned.tip().place();
                boolean passed = top != null && top.blockId().equals(Hash256.ZERO) && top.height() == now.height();
                if (top != null && !passed && !top.equals(now)) {
                    throw new AssertionError(positioned + " after " + top);
                }
                if (passed) {
                    chain.remove(chain.size() - 1);
                }
                if (top == null || passed) {
                    chain.add(now);
                }
            } else if (event instanceof FollowEvent.Connected connected) {
                if (!top.blockId().equals(Hash256.ZERO)
                                && !connected.block().parentId().equals(top.blockId())
                        || connected.block().height() != top.height() + 1) {
                    throw new AssertionError(connected.block().place() + " after " + top);
                }
                chain.add(connected.block().place());
            } else if (event instanceof FollowEvent.Advanced advanced) {
                if (advanced.from() != top.height() + 1) {
                    throw new AssertionError(advanced + " after " + top);
                }
                for (long height = advanced.from(); height < advanced.to().height(); height++) {
                    chain.add(new BlockPlace(height, Hash256.ZERO));
                }
                chain.add(advanced.to().place());
            } else if (event instanceof FollowEvent.Disconnected gone) {
                if (top.height() != gone.block().height()
                        || !top.blockId().equals(Hash256.ZERO) && !top.equals(gone.block())) {
                    throw new AssertionError(gone + " after " + top);
                }
                chain.remove(chain.size() - 1);
                if (chain.isEmpty()) {
                    chain.add(new BlockPlace(top.height() - 1, Hash256.ZERO));
                }
            }
        }
        return chain;
    }

    /** Simulates the death of the process: nothing is released. */
    void kill() {
        if (!killed) {
            killed = true;
            kit.shutdownTestKit();
            books.close();
            executor.shutdownNow();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
