package org.chainwalletd.boot;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.coins.SeenCredits;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.NodesSeen;
import org.chainwalletd.node.push.PushFeed;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.wait.AddressWatch;
import org.chainwalletd.wait.MempoolListener;
import org.chainwalletd.wait.WaitSetup;
import org.chainwalletd.wait.Waits;

/**
 * Waits and the push streams that wake them, tied to the followed chain.
 *
 * @param feed receives the addresses whose changes the nodes are asked to push
 * @param mempool forwards transactions found in mempools
 */
record Waiting(Waits waits, ActorRef<PushFeed.Command> feed, MempoolForwarder mempool) {
    static Waiting start(Resources resources, Following following) {
        DaemonContext context = resources.context();
        Spawner spawner = context.guardian();
        Nodes nodes = resources.nodes();
        List<URI> urls = nodes.seen().get().nodes().stream()
                .map(node -> URI.create(node.url()))
                .toList();
        Follower follower = following.follower();
        PushForwarder pushes = new PushForwarder(follower);
        ActorRef<PushFeed.Command> feed = spawner.spawn(
                PushFeed.create(
                        context.system(),
                        resources.external().peers(),
                        urls,
                        url -> nodes.seen().get().isOurs(url),
                        pushes::forward),
                "push-feed");
        List<NodeClient> each = nodes.client().each().stream()
                .map(client -> client.hasty().background())
                .toList();
        WaitSetup setup = new WaitSetup(
                resources.settings().chain(),
                nodes.client().hasty().background(),
                each,
                () -> answering(each, nodes.seen().get()),
                urls.size(),
                address -> resources.keyring().owns(address)
                        || following.watchOnly().has(address),
                () -> nodes.seen().get().tip(follower.nodesWithIgnoredTips()),
                (txId, place) ->
                        follower.proves(txId, place, answeringUrls(nodes.seen().get())::contains),
                follower::subscribe,
                resources.upstream(),
                () -> System.nanoTime() / 1_000_000);
        MempoolForwarder mempool = new MempoolForwarder();
        Waits waits = Waits.start(spawner, setup, new Watch(feed), following.credits(), mempool, context.meters());
        pushes.waits = Optional.of(waits);
        return new Waiting(waits, feed, mempool);
    }

    /** @param each clients of the nodes, in their order */
    private static List<NodeClient> answering(List<NodeClient> each, NodesSeen seen) {
        return IntStream.range(0, each.size())
                .filter(i -> seen.isAnswering(seen.nodes().get(i)))
                .mapToObj(each::get)
                .toList();
    }

    private static Set<String> answeringUrls(NodesSeen seen) {
        return seen.nodes().stream()
                .filter(seen::isAnswering)
                .map(NodesSeen.Seen::url)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Watches these addresses, most urgent first, for a reason; replaces those watched for it before. */
    void watchAll(WatchReason reason, Collection<Address> addresses) {
        feed.tell(new PushFeed.WantAll(reason, addresses));
    }

    /**
     * Forwards mempool transactions to the feed of credits and the index of HTLCs. Transactions that arrive before these exist are dropped,
     * without loss.
     */
    static final class MempoolForwarder implements MempoolListener {
        private volatile MempoolListener credits = (txId, tx) -> {};
        private volatile MempoolListener htlcs = (txId, tx) -> {};

        void forwardToCredits(ActorRef<SeenCredits.Command> seen) {
            credits = (txId, tx) -> seen.tell(new SeenCredits.Seen(txId, tx));
        }

        void forwardToHtlcs(Sightings sightings) {
            htlcs = sightings::seen;
        }

        @Override
        public void seen(Hash256 txId, Transaction tx) {
            credits.seen(txId, tx);
            htlcs.seen(txId, tx);
        }
    }

    /** Forwarder of changes pushed by nodes. Changes that arrive before the waits exist are dropped, without loss. */
    private static final class PushForwarder {
        private final Follower follower;
        private volatile Optional<Waits> waits = Optional.empty();

        PushForwarder(Follower follower) {
            this.follower = follower;
        }

        void forward(PushNews news) {
            waits.ifPresent(all -> all.pushed(news));
            if (news instanceof PushNews.Tip) {
                follower.nudge();
            }
        }
    }

    private record Watch(ActorRef<PushFeed.Command> feed) implements AddressWatch {
        @Override
        public void want(WatchReason reason, Address address) {
            feed.tell(new PushFeed.Want(reason, address));
        }

        @Override
        public void unwant(WatchReason reason, Address address) {
            feed.tell(new PushFeed.Unwant(reason, address));
        }
    }
}
