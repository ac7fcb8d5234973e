package org.chainwalletd.net;

import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorSystem;

/**
 * The daemon's one HTTP client: it makes the way to each peer (node, indexer, endpoint of the account chain, swap pool) and owns the thread
 * that carries the connections of all of them.
 */
public final class HttpPeers implements AutoCloseable {
    private final Exchange.Resources resources;
    private final Supplier<SSLContext> trust;

    private HttpPeers(Exchange.Resources resources, Supplier<SSLContext> trust) {
        this.resources = resources;
        this.trust = trust;
    }

    /**
     * @param executor does the long steps of TLS handshakes, such as checking a certificate
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
        Exchange.TimeOuts timeOuts =
                (time, work) -> system.scheduler().scheduleOnce(time, work, system.executionContext());
        return new HttpPeers(new Exchange.Resources(SocketLoop.start(loopDied), timeOuts, executor), trust);
    }

    /** A peer that asks for no credentials. */
    public HttpPeer to(URI url) {
        return to(url, Optional.empty());
    }

    /**
     * @param url {@code http} or {@code https}, without user information
     * @param bearer token that goes with each request: visible ASCII
     */
    public HttpPeer to(URI url, Optional<String> bearer) {
        return new HttpPeer(resources, url, bearer, trust);
    }

    /** A peer that is trusted by {@code own} alone, whatever the others are trusted by. */
    public HttpPeer trustedBy(URI url, SSLContext own) {
        return new HttpPeer(resources, url, Optional.empty(), () -> own);
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
        resources.loop().close();
    }
}
