package org.chainwalletd.node;

import java.net.URI;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorSystem;

/** Makes the way to each node, and holds what the ways have in common. */
final class Transports implements AutoCloseable {
    private final ActorSystem<?> system;
    private final Supplier<SSLContext> trust;
    private final Executor executor;
    private final int maxBody;
    private final SocketLoop loop;

    /**
     * @param trust what https nodes are checked with; not asked for, and so not loaded, without such a node
     * @param maxBody longest answer body in bytes
     */
    Transports(ActorSystem<?> system, Supplier<SSLContext> trust, Executor executor, int maxBody) {
        this.system = system;
        this.trust = trust;
        this.executor = executor;
        this.maxBody = maxBody;
        this.loop = SocketLoop.start();
    }

    NodeTransport to(URI url) {
        if (url.getScheme().equalsIgnoreCase("https")) {
            return new TlsTransport(system, url, trust, executor, maxBody);
        }
        TimeOuts timeOuts = (time, work) -> system.scheduler().scheduleOnce(time, work, system.executionContext());
        return new PlainTransport(loop, timeOuts, url, maxBody);
    }

    /** Requests under way fail. */
    @Override
    public void close() {
        loop.close();
    }
}
