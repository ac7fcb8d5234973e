package org.chainwalletd.http;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;

/** The main listener of the daemon: the paths of interface.md, section 4.1, and those of decisions.md, section 5. */
public final class HttpServer {
    /**
     * What the server needs from the rest of the daemon.
     *
     * @param rpc answers {@code POST /}
     * @param readiness all must be met for {@code GET /readyz}
     * @param metrics text of {@code GET /metrics}
     */
    public record Services(
            RpcEndpoint rpc,
            Authenticator authenticator,
            List<ReadinessCheck> readiness,
            Supplier<String> metrics,
            ServerObserver observer) {}

    private final Listener listener;

    private HttpServer(Listener listener) {
        this.listener = listener;
    }

    /**
     * Binds and serves. Fails when the address cannot be bound.
     *
     * @param trustedProxies peers whose X-Forwarded-For is believed: addresses or CIDR ranges
     */
    public static CompletionStage<HttpServer> start(
            ActorSystem<?> system,
            InetSocketAddress address,
            HttpLimits limits,
            List<String> trustedProxies,
            Services services) {
        Materializer materializer = SystemMaterializer.get(system).materializer();
        Callers callers = new Callers(services.authenticator(), new ClientAddress(trustedProxies));
        FailedLogins failedLogins = new FailedLogins(System::nanoTime);
        RpcHandler rpc = new RpcHandler(services.rpc(), callers, limits, failedLogins, services.observer(), system);
        Map<String, Router.Page> pages = new LinkedHashMap<>();
        pages.put("/healthz", Router.Page.of(() -> Responses.text(200, "ok")));
        Router router = new Router(rpc, pages, materializer);
        BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1 = HttpLayers.plain(system);
        Listener listener = new Listener(
                system,
                limits,
                connection -> http1.reversed().join(Flow.fromGraph(new RequestStage(connection, router))),
                true,
                services.observer()::refused);
        return listener.bind(address).thenApplyAsync(HttpServer::new, system.executionContext());
    }

    /** Where the server listens; tells the port when port 0 was asked for. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Connections that are open now. */
    public int connections() {
        return listener.connections();
    }

    /** Stops accepting, lets requests in work be answered, cuts off what is left after {@code deadline}. */
    public CompletionStage<Void> drain(Duration deadline) {
        return listener.drain(deadline);
    }
}
