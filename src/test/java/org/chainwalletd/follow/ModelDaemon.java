package org.chainwalletd.follow;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;

/** Follower with all books of the daemon, in a folder, connected to model nodes. Closing it loses all work under way. */
final class ModelDaemon implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(3);

    private final ActorTestKit kit;
    private final List<ActorRef<?>> actors = new ArrayList<>();
    private final ModelBooks books;
    private final Follower follower;

    /** @param any client that uses any available node */
    ModelDaemon(
            Path folder,
            Set<Address> owned,
            List<ModelNode> nodes,
            NodeClient any,
            ActorTestKit kit,
            ExecutorService executor) {
        this(BooksPlaces.FILES, folder, owned, nodes, any, kit, executor, Clock.systemUTC(), Optional.empty());
    }

    ModelDaemon(
            BooksPlaces places,
            Path folder,
            Set<Address> owned,
            List<ModelNode> nodes,
            NodeClient any,
            ActorTestKit kit,
            ExecutorService executor,
            Clock clock,
            Optional<BlockPlace> checkpoint) {
        this.kit = kit;
        this.books = new ModelBooks(places, folder);
        books.watch(List.copyOf(owned));
        List<FollowedNode> followed = new ArrayList<>();
        nodes.forEach(node -> followed.add(new FollowedNode("node " + followed.size(), node.client())));
        this.follower = Follower.start(
                new Background() {
                    @Override
                    public <T> ActorRef<T> begin(String name, Behavior<T> behavior, Consumer<? super T> whileStopped) {
                        ActorRef<T> actor = kit.spawn(behavior);
                        actors.add(actor);
                        return actor;
                    }
                },
                new FollowerSetup(
                        ModelChain.PROFILE,
                        new FollowerSetup.Sources(followed, any, FollowRig.known(Network.TESTNET)),
                        books.file(),
                        books.books(),
                        new FollowerSetup.Rules(false, Optional.empty(), checkpoint, Optional.empty(), true),
                        new WorkCheck(ModelChain.PROFILE, executor),
                        new SimpleMeterRegistry(),
                        INTERVAL,
                        Duration.ofSeconds(10),
                        clock,
                        executor));
    }

    ModelBooks books() {
        return books;
    }

    Follower follower() {
        return follower;
    }

    void awaitFollowed(ModelBlock tip) {
        follower.nudge();
        Await.until(
                "the follower stands at " + tip.height(),
                () -> follower.tip()
                        .filter(now -> now.place().blockId().equals(tip.id()))
                        .isPresent());
    }

    void awaitNoRescan() {
        Await.until("no rescan is pending, and none is needed", () -> {
            follower.nudge();
            Await.result(follower.readHistories());
            return follower.isFullyScanned() && hasNoScans();
        });
    }

    private boolean hasNoScans() {
        return Await.result(books.file().read(session -> {
            LedgerTable ledger = new LedgerTable();
            return BlockRows.scans(session.head()).isEmpty()
                    && ledger.unread(session.head(), Optional.empty()).isEmpty();
        }));
    }

    @Override
    public void close() {
        actors.forEach(kit::stop);
        actors.clear();
        books.close();
    }
}
