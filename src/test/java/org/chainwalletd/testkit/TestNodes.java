package org.chainwalletd.testkit;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.stage.Spawner;

/** Starts the daemon's connections to its nodes in an actor system, without the rest of the daemon; they are closed when that system ends. */
public final class TestNodes {
    private TestNodes() {}

    public static Nodes start(
            ActorSystem<?> system,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics,
            Supplier<SSLContext> trust) {
        HttpPeers peers = HttpPeers.start(system, trust, executor, () -> {});
        system.getWhenTerminated().thenRunAsync(peers::close, Runnable::run);
        Nodes.Transport transport = new Nodes.Transport(peers, ByteBudget.ofHeap(Nodes.HEAP_SHARE), executor, metrics);
        return Nodes.start(under(system), settings, expectGenesis, Optional.empty(), file, transport, disk);
    }

    /** Starts them for upstreams without TLS. */
    public static Nodes start(
            ActorSystem<?> system,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics) {
        return start(system, settings, expectGenesis, file, executor, disk, metrics, () -> {
            throw new AssertionError("no upstream is asked over TLS");
        });
    }

    private static Spawner under(ActorSystem<?> system) {
        return new Spawner() {
            @Override
            public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
                return system.systemActorOf(behavior, name, Props.empty());
            }
        };
    }
}
