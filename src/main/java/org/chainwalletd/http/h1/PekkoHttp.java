package org.chainwalletd.http.h1;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSession;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.apache.pekko.stream.TLSProtocol;
import org.apache.pekko.stream.TLSProtocol.SslTlsInbound;
import org.apache.pekko.stream.TLSProtocol.SslTlsOutbound;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.Connection;

/** Pekko HTTP's server settings, derived from the daemon's own limits instead of Pekko's defaults, and its HTTP/1 layer. */
public final class PekkoHttp {
    /**
     * Deadlines are {@link Connection}'s, so Pekko's are off: its request timeout would end a wait of 600 s and costs a timer per request.
     * Headers stay raw, because a malformed one would be written to the log, and a token is such a header. Their values are not cached: each
     * connection would keep the tokens of its last callers as long as it is open.
     */
    private static final Map<String, Object> OVERRIDES = Map.ofEntries(
            Map.entry("server-header", ""),
            Map.entry("default-host-header", "localhost"),
            Map.entry("idle-timeout", "infinite"),
            Map.entry("request-timeout", "infinite"),
            Map.entry("pipelining-limit", 1),
            Map.entry("log-unencrypted-network-bytes", "off"),
            Map.entry("parsing.max-content-length", "infinite"),
            Map.entry("parsing.modeled-header-parsing", "off"),
            Map.entry("parsing.header-cache.default", 0),
            Map.entry("parsing.illegal-header-warnings", "off"),
            Map.entry("parsing.error-logging-verbosity", "off"),
            Map.entry("parsing.error-handler", MalformedRequests.class.getName()),
            // A body in a single frame is delivered with its head; a client that disconnects during a long wait is
            // detected.
            Map.entry("http2.min-collect-strict-entity-size", 1),
            Map.entry("http2.incoming-connection-level-buffer-size", "512 KiB"),
            Map.entry("http2.ping-interval", "30s"),
            Map.entry("http2.ping-timeout", "30s"));

    private PekkoHttp() {}

    public static ServerSettings settings(ActorSystem<?> system) {
        return settings(system, OVERRIDES);
    }

    /** @param streams maximum concurrent streams of one HTTP/2 connection, which Pekko also announces to its clients */
    public static ServerSettings settings(ActorSystem<?> system, int streams) {
        Map<String, Object> overrides = new HashMap<>(OVERRIDES);
        overrides.put("http2.max-concurrent-streams", streams);
        return settings(system, overrides);
    }

    private static ServerSettings settings(ActorSystem<?> system, Map<String, Object> overrides) {
        return ServerSettings.create(ConfigFactory.parseMap(overrides)
                .atPath("pekko.http.server")
                .withFallback(system.settings().config()));
    }

    /** Emits {@code elements} without retaining them: a stream lives as long as its connection, and a request may contain a secret. */
    public static <T> Source<T, NotUsed> handingOver(List<T> elements) {
        Deque<T> left = new ArrayDeque<>(elements);
        return Source.fromIterator(() -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !left.isEmpty();
            }

            @Override
            public T next() {
                return left.remove();
            }
        });
    }

    /** HTTP/1 over bare bytes. Can be used for any number of connections. */
    public static BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> plain(ActorSystem<?> system) {
        // The session is not used without TLS, and creating an empty one would load the JDK's whole trust store at
        // start.
        SSLSession none = null;
        BidiFlow<SslTlsOutbound, ByteString, ByteString, SslTlsInbound, NotUsed> bare = BidiFlow.fromFunctions(
                out -> ((TLSProtocol.SendBytes) out).bytes(), in -> new TLSProtocol.SessionBytes(none, in));
        return Http.get(system).serverLayer(settings(system)).atop(bare);
    }
}
