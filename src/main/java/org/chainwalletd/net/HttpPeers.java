package org.chainwalletd.net;

import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorSystem;

/**
 * HTTP client of the daemon: creates the peers (nodes, indexers, endpoints of the account chain, swap pool) and owns the thread that serves all
 * their connections.
 */
public final class HttpPeers implements AutoCloseable {
    private final Exchange.Resources resources;
    private final Supplier<SSLContext> trust;

    private HttpPeers(Exchange.Resources resources, Supplier<SSLContext> trust) {
        this.resources = resources;
        this.trust = trust;
    }

    /**
     * @param executor runs the long steps of TLS handshakes, such as checking a certificate
     * @param loopDied run if the socket thread ends without {@link #close}: no request is answered after that
     */
    public static HttpPeers start(ActorSystem<?> system, Executor executor, Runnable loopDied) {
        return start(system, HttpPeers::defaultTrust, executor, loopDied);
    }

    /** @param trust TLS context for https peers; not called, and so not loaded, without such a peer */
    public static HttpPeers start(
            ActorSystem<?> system, Supplier<SSLContext> trust, Executor executor, Runnable loopDied) {
        Exchange.TimeOuts timeOuts =
                (time, work) -> system.scheduler().scheduleOnce(time, work, system.executionContext());
        return new HttpPeers(new Exchange.Resources(SocketLoop.start(loopDied), timeOuts, executor), trust);
    }

    /** Creates a peer without credentials. */
    public HttpPeer to(URI url) {
        return to(url, Optional.empty());
    }

    /**
     * @param url {@code http} or {@code https}, without user information
     * @param bearer token sent with each request: visible ASCII
     */
    public HttpPeer to(URI url, Optional<String> bearer) {
        return new HttpPeer(resources, url, bearer, trust);
    }

    /** Creates a peer that is verified only by {@code own}, independent of other peers. */
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

    /** Ends the client; requests under way fail. */
    @Override
    public void close() {
        resources.loop().close();
    }
}
