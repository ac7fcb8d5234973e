package org.chainwalletd.testkit;

import org.apache.pekko.actor.typed.ActorSystem;
import org.chainwalletd.net.HttpPeers;

/** The daemon's HTTP client, closed with its actor system. */
public final class Peers {
    private Peers() {}

    public static HttpPeers of(ActorSystem<?> system) {
        HttpPeers peers = HttpPeers.start(system, system.executionContext(), () -> {});
        system.getWhenTerminated().thenRunAsync(peers::close, Runnable::run);
        return peers;
    }
}
