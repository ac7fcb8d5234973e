package org.chainwalletd.net;

import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorSystem;

/** Makes the way to each peer, and holds what the ways have in common. */
public final class HttpPeers implements AutoCloseable {
    private final ActorSystem<?> system;
    private final Supplier<SSLContext> trust;
    private final Executor executor;
    private final SocketLoop loop;

    private HttpPeers(ActorSystem<?> system, Supplier<SSLContext> trust, Executor executor, SocketLoop loop) {
        this.system = system;
        this.trust = trust;
        this.executor = executor;
        this.loop = loop;
    }

    /**
     * @param executor makes the streams that bring TLS
     * @param loopDied run when the thread that carries the sockets has ended without {@link #close}: nothing is answered after that
     */
    public static HttpPeers start(ActorSystem<?> system, Executor executor, Runnable loopDied) {
        return start(system, HttpPeers::defaultTrust, executor, loopDied);
    }

    /**
     * @param trust what https peers are checked with; not asked for, and so not loaded, without such a peer
     */
    public static HttpPeers start(
            ActorSystem<?> system, Supplier<SSLContext> trust, Executor executor, Runnable loopDied) {
        return new HttpPeers(system, trust, executor, SocketLoop.start(loopDied));
    }

    /** A peer that asks for no credentials. */
    public HttpPeer to(URI url) {
        return to(url, Optional.empty());
    }

    /**
     * @param url {@code http} or {@code https}, without user information
     * @param bearer token that goes with each request
     */
    public HttpPeer to(URI url, Optional<String> bearer) {
        PostHead head = new PostHead(url, bearer);
        if (url.getScheme().equalsIgnoreCase("https")) {
            return new TlsPeer(system, head, trust, executor);
        }
        TimeOuts timeOuts = (time, work) -> system.scheduler().scheduleOnce(time, work, system.executionContext());
        return new PlainPeer(loop, timeOuts, head);
    }

    private static SSLContext defaultTrust() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /** Requests under way fail. */
    @Override
    public void close() {
        loop.close();
    }
}
