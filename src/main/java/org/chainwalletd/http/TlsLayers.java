package org.chainwalletd.http;

import java.util.Optional;
import javax.net.ssl.SSLEngine;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.IgnoreComplete$;
import org.apache.pekko.stream.TLSProtocol;
import org.apache.pekko.stream.TLSProtocol.SslTlsInbound;
import org.apache.pekko.stream.TLSProtocol.SslTlsOutbound;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.javadsl.TLS;
import org.apache.pekko.util.ByteString;

/** TLS with HTTP/1.1 above it, and HTTP/2 where it is offered, chosen by ALPN. */
final class TlsLayers implements Listener.Protocol {
    private static final String HTTP_2 = "h2";
    /** What TLS reads ahead before anybody has asked for it is counted by nobody. */
    private static final Attributes ONE_PIECE = Attributes.inputBuffer(1, 1);

    private final TlsIdentity identity;
    private final HttpHandler handler;
    private final BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1;
    private final Optional<Http2Layer> http2;

    /** @param http2 empty: not offered */
    TlsLayers(ActorSystem<?> system, TlsIdentity identity, HttpHandler handler, Optional<Http2Layer> http2) {
        this.identity = identity;
        this.handler = handler;
        this.http1 = HttpLayers.plain(system);
        this.http2 = http2;
    }

    @Override
    public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
        SSLEngine engine = identity.engine(http2.isPresent());
        BidiFlow<SslTlsOutbound, ByteString, ByteString, SslTlsInbound, NotUsed> tls =
                TLS.create(() -> engine, session -> {}, IgnoreComplete$.MODULE$);
        Flow<SslTlsInbound, SslTlsOutbound, NotUsed> http = Flow.<SslTlsInbound>create()
                .flatMapPrefix(
                        1,
                        first -> Flow.<SslTlsInbound>create()
                                .prepend(Source.from(first))
                                .collectType(TLSProtocol.SessionBytes.class)
                                .map(TLSProtocol.SessionBytes::bytes)
                                .via(spoken(engine, connection))
                                .map(bytes -> (SslTlsOutbound) new TLSProtocol.SendBytes(bytes)))
                .mapMaterializedValue(chosen -> NotUsed.getInstance());
        return tls.reversed().join(http).addAttributes(ONE_PIECE);
    }

    /** Called when the handshake is over and the first bytes of the application are there. */
    private Flow<ByteString, ByteString, NotUsed> spoken(SSLEngine engine, Connection connection) {
        return http2.filter(offered -> HTTP_2.equals(engine.getApplicationProtocol()))
                .map(chosen -> chosen.on(connection))
                .orElseGet(() -> http1(connection));
    }

    private Flow<ByteString, ByteString, NotUsed> http1(Connection connection) {
        return BidiFlow.fromGraph(new RequestGate(connection))
                .join(http1.reversed().join(Flow.fromGraph(new RequestStage(connection, handler))));
    }
}
