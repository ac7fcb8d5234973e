package org.chainwalletd.testkit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.FollowerSetup;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.WorkCheck;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;

/** Follower with its books in a folder, over real sockets to the given nodes. Closing and reopening it is a restart of the daemon. */
public final class FollowRig implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private final ActorTestKit kit = ActorTestKit.create();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final List<FollowEvent> events = new CopyOnWriteArrayList<>();
    private final Books books;
    private final Follower follower;
    private final NodeClient client;

    public FollowRig(Path folder, List<Book<?, ?>> books, URI... nodes) {
        this(folder, books, setup -> setup, nodes);
    }

    /** Returns background work that runs as soon as it is begun. */
    public Background background() {
        return Spawners.background(kit);
    }

    /** Creates a rig with a changed setup. */
    public FollowRig(Path folder, List<Book<?, ?>> books, UnaryOperator<FollowerSetup> change, URI... nodes) {
        List<BookTable<?, ?>> tables = new ArrayList<>();
        books.forEach(book -> tables.add(book.table()));
        this.books = Books.open(folder, tables);
        this.client = client(nodes);
        List<FollowedNode> followed = new ArrayList<>();
        for (NodeClient one : client.each()) {
            followed.add(new FollowedNode(nodes[followed.size()].toString(), one));
        }
        this.follower = Follower.start(
                background(),
                change.apply(new FollowerSetup(
                        ChainProfile.of("chain"),
                        new FollowerSetup.Sources(followed, client.hasty(), known(Network.DEVNET)),
                        this.books,
                        books,
                        FollowerSetup.Rules.DEFAULT,
                        new WorkCheck(ChainProfile.of("chain"), executor),
                        meters,
                        INTERVAL,
                        Duration.ofSeconds(10),
                        Clock.systemUTC(),
                        executor)));
        follower.subscribe(kit.spawn(Behaviors.<FollowEvent>receiveMessage(event -> {
            events.add(event);
            return Behaviors.same();
        })));
    }

    private NodeClient client(URI... nodes) {
        Settings.Node settings = new Settings.Node(
                List.of(nodes), 1, Duration.ofMillis(50), Duration.ofSeconds(10), 8 << 20, 32, Optional.empty());
        return Nodes.clientOf(kit.system(), settings, executor, new SimpleMeterRegistry());
    }

    /** Returns the rules of a network whose chain may begin with any block. */
    public static Function<NodeClient, CompletionStage<ChainRules>> known(Network network) {
        return node -> CompletableFuture.completedFuture(new ChainRules(network, Difficulty.EASIEST));
    }

    /** Returns the default setup, for nodes that report this network. */
    public static UnaryOperator<FollowerSetup> of(Network network) {
        return setup -> Copies.with(setup, "sources", Copies.with(setup.sources(), "rules", known(network)));
    }

    public SimpleMeterRegistry meters() {
        return meters;
    }

    public ActorTestKit kit() {
        return kit;
    }

    public ExecutorService executor() {
        return executor;
    }

    /** Returns a client of the nodes. */
    public NodeClient client() {
        return client;
    }

    public Follower follower() {
        return follower;
    }

    public Books books() {
        return books;
    }

    /** Returns all events since the start. */
    public List<FollowEvent> events() {
        return events;
    }

    /** Waits until this block is the followed tip. */
    public void awaitTip(Hash256 blockId) {
        Await.until(
                "the follower stands at " + blockId + " and not at " + follower.tip(),
                () -> follower.tip()
                        .filter(tip -> tip.place().blockId().equals(blockId))
                        .isPresent());
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
        books.close();
        executor.shutdownNow();
    }
}
