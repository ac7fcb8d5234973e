package org.chainwalletd.boot;

import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.chainwalletd.chain.Address;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.push.PushFeed;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.node.push.WatchReason;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.wait.AddressWatch;
import org.chainwalletd.wait.WaitSetup;
import org.chainwalletd.wait.Waits;

/** Starts the waits and the push streams that wake them, and ties both to the followed chain. */
final class Waiting {
    private Waiting() {}

    static Waits start(
            Settings settings,
            ActorSystem<?> system,
            Waits.Spawner spawner,
            Nodes nodes,
            Following following,
            Workers workers,
            Metrics meters) {
        List<URI> urls = nodes.seen().get().nodes().stream()
                .map(node -> URI.create(node.url()))
                .toList();
        Follower follower = following.follower();
        Hearing hearing = new Hearing(follower);
        ActorRef<PushFeed.Command> feed =
                spawner.spawn(PushFeed.create(system, urls, Waiting::trust, hearing::heard), "push-feed");
        WaitSetup setup = new WaitSetup(
                settings.chain(),
                nodes.client().hasty().background(),
                urls.size(),
                () -> nodes.seen().get().tip(),
                follower::subscribe,
                workers.upstream(),
                () -> System.nanoTime() / 1_000_000);
        Waits waits = Waits.start(spawner, setup, new Watch(feed), following.credits(), meters.registry());
        hearing.waits = Optional.of(waits);
        return waits;
    }

    private static SSLContext trust() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /** Passes on what nodes push; before the waits are there, nobody misses it. */
    private static final class Hearing {
        private final Follower follower;
        private volatile Optional<Waits> waits = Optional.empty();

        Hearing(Follower follower) {
            this.follower = follower;
        }

        void heard(PushNews news) {
            waits.ifPresent(all -> all.pushed(news));
            if (news instanceof PushNews.Tip) {
                follower.nudge();
            }
        }
    }

    private record Watch(ActorRef<PushFeed.Command> feed) implements AddressWatch {
        @Override
        public void want(Address address) {
            feed.tell(new PushFeed.Want(WatchReason.WAIT, address));
        }

        @Override
        public void unwant(Address address) {
            feed.tell(new PushFeed.Unwant(WatchReason.WAIT, address));
        }
    }
}
