package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Network;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.FollowedNode;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.FollowerSetup;
import org.chainwalletd.follow.WorkCheck;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;

/** Starts the follower as the settings want it. */
final class Following {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private Following() {}

    /** @param tables of {@code books}, all of them opened in {@code file} */
    static Follower start(
            Settings settings,
            Follower.Spawner spawner,
            Nodes nodes,
            Books file,
            List<Book<?, ?>> books,
            MeterRegistry meters,
            Workers workers) {
        return Follower.start(
                spawner,
                new FollowerSetup(
                        settings.chain(),
                        named(settings, nodes.client().each()),
                        nodes.client().hasty(),
                        () -> nodes.seen().get().network().flatMap(Network::ofWord),
                        file,
                        books,
                        rules(settings.follow()),
                        new WorkCheck(settings.chain(), workers.background()),
                        meters,
                        INTERVAL,
                        Clock.systemUTC(),
                        workers.upstream()));
    }

    private static FollowerSetup.Rules rules(Settings.Follow follow) {
        return new FollowerSetup.Rules(
                follow.verifyWork(), follow.checkpoint().map(named -> new BlockPlace(named.height(), named.blockId())));
    }

    /** One view for each configured node, in the order of the settings. */
    private static List<FollowedNode> named(Settings settings, List<NodeClient> clients) {
        List<FollowedNode> named = new ArrayList<>();
        for (NodeClient client : clients) {
            int index = named.size();
            String name = index < settings.node().urls().size()
                    ? settings.node().urls().get(index).toString()
                    : "node " + index;
            named.add(new FollowedNode(name, client));
        }
        return named;
    }
}
