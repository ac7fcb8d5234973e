package org.chainwalletd.http.tls;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
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
import org.apache.pekko.stream.javadsl.TLS;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.config.HeapShares;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.Listener;
import org.chainwalletd.http.h1.PekkoHttp;
import org.chainwalletd.http.h1.RequestStage;
import org.chainwalletd.http.h2.Http2Layer;

/**
 * TLS with HTTP/1.1 above it, and HTTP/2 where it is offered, chosen by ALPN. A TLS connection uses a hundred times the memory of one
 * without TLS, from its first byte on, so their number is limited to what fits into a share of the heap.
 */
public final class TlsLayers implements Listener.Protocol {
    private static final String HTTP_2 = "h2";
    private static final int HANDSHAKE = 22;
    private static final int RECORD_HEADER = 5;
    /** Keeps TLS from reading ahead: bytes that it reads without demand are not counted against any budget. */
    private static final Attributes ONE_PIECE = Attributes.inputBuffer(1, 1);

    /** Measured: buffers of the engine, of Pekko's layer around it, and its streams. {@code TlsWeightTest} weighs them again. */
    static final int CONNECTION_BYTES = 120 << 10;

    private final TlsIdentity identity;
    private final HttpHandler handler;
    private final BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1;
    private final Optional<Http2Layer> http2;
    private final Consumer<String> refused;
    private final int most;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * @param http2 empty: not offered
     * @param refused told why a connection was refused
     * @param most connections at a time
     */
    public TlsLayers(
            ActorSystem<?> system,
            TlsIdentity identity,
            HttpHandler handler,
            Optional<Http2Layer> http2,
            Consumer<String> refused,
            int most) {
        this.refused = refused;
        this.most = most;
        this.identity = identity;
        this.handler = handler;
        this.http1 = PekkoHttp.plain(system);
        this.http2 = http2;
    }

    /** Number of connections that fit in the part of this process's heap that is meant for them. */
    public static int mostInHeap() {
        return (int) Math.min(Integer.MAX_VALUE, HeapShares.ofThisProcess().tls() / CONNECTION_BYTES);
    }

    /** True for a complete handshake record (RFC 8446, section 5.1), and for bytes that are no such record. */
    @Override
    public boolean isEnough(ByteString said) {
        if (said.apply(0) != HANDSHAKE) {
            return true;
        }
        return said.length() >= RECORD_HEADER
                && said.length() - RECORD_HEADER >= ((said.apply(3) & 0xff) << 8 | said.apply(4) & 0xff);
    }

    @Override
    public boolean hasPlace(Connection connection) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            refused.accept("overload");
            return false;
        }
        connection.presence().whenLeft(open::decrementAndGet);
        return true;
    }

    @Override
    public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
        SSLEngine engine = identity.engine(http2.isPresent());
        BidiFlow<SslTlsOutbound, ByteString, ByteString, SslTlsInbound, NotUsed> tls =
                TLS.create(() -> engine, new OneHandshake(), IgnoreComplete$.MODULE$);
        Flow<SslTlsInbound, SslTlsOutbound, NotUsed> http = Flow.<SslTlsInbound>create()
                .flatMapPrefix(
                        1,
                        first -> Flow.<SslTlsInbound>create()
                                .prepend(PekkoHttp.handingOver(first))
                                .collectType(TLSProtocol.SessionBytes.class)
                                .map(TLSProtocol.SessionBytes::bytes)
                                .via(spoken(engine, connection))
                                .map(bytes -> (SslTlsOutbound) new TLSProtocol.SendBytes(bytes)))
                .mapMaterializedValue(chosen -> NotUsed.getInstance());
        return tls.reversed().join(http).addAttributes(ONE_PIECE);
    }

    /** Called when the handshake is complete and the first application bytes have arrived. */
    private Flow<ByteString, ByteString, NotUsed> spoken(SSLEngine engine, Connection connection) {
        return http2.filter(offered -> HTTP_2.equals(engine.getApplicationProtocol()))
                .map(chosen -> chosen.on(connection))
                .orElseGet(() -> RequestStage.http1(connection, http1, handler));
    }

    /**
     * Ends a connection whose client renegotiates, which TLS 1.2 allows: a handshake costs the daemon more than its client and needs no token. TLS
     * 1.3 has no renegotiation, but reports the end of its handshake more than once.
     */
    private static final class OneHandshake implements Consumer<SSLSession> {
        private boolean over;

        @Override
        public void accept(SSLSession session) {
            if (over && !session.getProtocol().equals("TLSv1.3")) {
                throw new IllegalStateException("a client renegotiates");
            }
            over = true;
        }
    }
}
