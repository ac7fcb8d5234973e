package org.chainwalletd.cluster.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.AddressFromURIString;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.cluster.typed.JoinSeedNodes;
import org.chainwalletd.cluster.Node;
import org.chainwalletd.config.Settings;

/** Node in a separate actor system, which nothing else in the daemon uses. */
public final class PekkoNode implements Node {
    private static final String SYSTEM = "walletd";
    /** Resource with the Pekko settings. */
    private static final String RESOURCE = "cluster.conf";

    private final ActorSystem<Void> system;
    private final Cluster cluster;
    private final CompletableFuture<ActorRef<Handed.ToAsking>> asking = new CompletableFuture<>();
    private final CompletableFuture<ActorRef<Hinting.Command>> hinting = new CompletableFuture<>();
    /** Answers that callers are waiting for. */
    private final Set<CompletableFuture<Answer>> open = ConcurrentHashMap.newKeySet();

    /**
     * Starts the node; blocks until it listens.
     *
     * @throws RuntimeException when it cannot listen
     */
    public PekkoNode(Settings.Cluster settings, Duties duties) {
        ClassLoader loader = PekkoNode.class.getClassLoader();
        this.system = ActorSystem.create(
                root(duties),
                SYSTEM,
                BootstrapSetup.create(config(settings, loader)).withClassloader(loader));
        this.cluster = Cluster.get(system);
        system.getWhenTerminated().thenRunAsync(this::loseAll, Runnable::run);
    }

    private Behavior<Void> root(Duties duties) {
        return Behaviors.setup(context -> {
            String own = Cluster.get(context.getSystem()).selfMember().address().toString();
            ActorRef<Handed.ToAsking> asks = context.spawn(Asking.create(), "asking");
            ActorRef<Hinting.Command> hints = context.spawn(Hinting.create(own, duties), "hinting");
            // When one of these actors stops, the node ends (death pact) and is started again.
            context.watch(asks);
            context.watch(hints);
            context.watch(context.spawn(Answering.create(duties), "answering"));
            asking.complete(asks);
            hinting.complete(hints);
            return Behaviors.empty();
        });
    }

    private static Config config(Settings.Cluster settings, ClassLoader loader) {
        InetAddress address = settings.bind().getAddress();
        Map<String, Object> own = new HashMap<>();
        own.put("pekko.remote.artery.canonical.hostname", host(address));
        own.put("pekko.remote.artery.canonical.port", settings.bind().getPort());
        own.put("pekko.remote.artery.transport", settings.files().isPresent() ? "tls-tcp" : "tcp");
        settings.files().ifPresent(files -> {
            own.put(PemEngines.CERTIFICATE, files.certificate().toString());
            own.put(PemEngines.KEY, files.key().toString());
            own.put(PemEngines.ISSUER, files.issuer().toString());
        });
        return ConfigFactory.parseMap(own)
                .withFallback(ConfigFactory.parseResources(PekkoNode.class, RESOURCE))
                .withFallback(ConfigFactory.defaultReference(loader))
                .resolve();
    }

    private static String host(InetAddress address) {
        String host = address.getHostAddress();
        return host.contains(":") ? "[" + host + "]" : host;
    }

    @Override
    public String address() {
        return cluster.selfMember().address().toString();
    }

    @Override
    public void join(List<String> others) {
        if (others.isEmpty()) {
            cluster.manager().tell(new Join(cluster.selfMember().address()));
        } else {
            List<Address> seeds =
                    others.stream().map(AddressFromURIString::parse).toList();
            cluster.manager().tell(new JoinSeedNodes(seeds));
        }
    }

    @Override
    public boolean isUp() {
        return cluster.selfMember().status().equals(MemberStatus.up());
    }

    @Override
    public boolean hasEnded() {
        return system.getWhenTerminated().toCompletableFuture().isDone();
    }

    @Override
    public Set<String> members() {
        Set<String> addresses = new HashSet<>();
        cluster.state()
                .getMembers()
                .forEach(member -> addresses.add(member.address().toString()));
        return addresses;
    }

    @Override
    public int reachable() {
        ClusterEvent.CurrentClusterState state = cluster.state();
        int count = 0;
        for (Member member : state.getMembers()) {
            count += member.status().equals(MemberStatus.up())
                            && !state.getUnreachable().contains(member)
                    ? 1
                    : 0;
        }
        return count;
    }

    @Override
    public void hint(Hint hint) {
        if (!hasEnded() && hinting.isDone()) {
            hinting.join().tell(new Hinting.Tell(hint));
        }
    }

    @Override
    public CompletionStage<Answer> hand(Call call) {
        if (hasEnded() || !asking.isDone()) {
            return CompletableFuture.completedFuture(new Answer.NotBegun());
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        open.add(answer);
        asking.join().tell(new Asking.Hand(call, answer));
        if (hasEnded()) {
            loseAll();
        }
        return answer.whenCompleteAsync((given, failure) -> open.remove(answer), Runnable::run);
    }

    private void loseAll() {
        open.forEach(answer -> answer.complete(new Answer.Lost()));
    }

    @Override
    public void close(Duration timeout) {
        system.terminate();
        try {
            system.getWhenTerminated().toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            system.log().debug("the node has not ended in time: {}", e.toString());
        }
    }
}
