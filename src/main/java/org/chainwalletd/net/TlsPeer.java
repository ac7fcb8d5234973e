package org.chainwalletd.net;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.io.Inet;
import org.apache.pekko.io.TcpSO;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.TLSClosing$;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Tcp;
import org.apache.pekko.util.ByteString;

/** Requests to a peer at an {@code https} URL, as Pekko streams, which bring the TLS. */
final class TlsPeer implements HttpPeer {
    private static final List<Inet.SocketOption> OPTIONS = List.of(TcpSO.tcpNoDelay(true));

    private final Flow<ByteString, ByteString, CompletionStage<Tcp.OutgoingConnection>> connection;
    private final Materializer materializer;
    private final Executor executor;
    private final PostHead head;

    /**
     * @param trust what the peer's certificate is checked with
     * @param executor makes the streams
     */
    TlsPeer(ClassicActorSystemProvider system, PostHead head, Supplier<SSLContext> trust, Executor executor) {
        this.materializer = SystemMaterializer.get(system).materializer();
        this.executor = executor;
        this.head = head;
        this.connection = Tcp.get(system)
                .outgoingConnectionWithTls(
                        InetSocketAddress.createUnresolved(head.host(), head.port()),
                        () -> engine(trust.get(), head.host(), head.port()),
                        Optional.empty(),
                        OPTIONS,
                        Optional.empty(),
                        Optional.empty(),
                        session -> Optional.empty(),
                        TLSClosing$.MODULE$.ignoreComplete());
    }

    @Override
    public void post(byte[] body, ExchangeLimits limits, ExchangeListener listener) {
        ByteString request = ByteString.fromArrayUnsafe(head.with(body));
        TlsExchange exchange = new TlsExchange(request, limits, listener);
        try {
            executor.execute(() -> connect(exchange));
        } catch (RejectedExecutionException e) {
            exchange.notBegun("no thread is free for a connection");
        }
    }

    private void connect(TlsExchange exchange) {
        try {
            connection.joinMat(exchange, Keep.right()).run(materializer);
        } catch (RuntimeException e) {
            exchange.notBegun("no connection can be made: " + e.getMessage());
        }
    }

    private static SSLEngine engine(SSLContext trust, String host, int port) {
        SSLEngine engine = trust.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }
}
