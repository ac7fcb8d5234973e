package org.chainwalletd.node;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

/**
 * HTTP/1.1 requests to one node, each on a connection of its own: a node reads one request per connection (chain protocol, section 10.1).
 * Thread-safe; holds no connection between requests.
 */
final class NodeTransport {
    private static final List<Inet.SocketOption> OPTIONS = List.of(TcpSO.tcpNoDelay(true));

    private final Flow<ByteString, ByteString, CompletionStage<Tcp.OutgoingConnection>> connection;
    private final Materializer materializer;
    private final byte[] headBeforeLength;
    private final int maxBody;

    /**
     * @param url {@code http} or {@code https}, without user information
     * @param trust what an https node's certificate is checked with; asked for only then
     * @param maxBody longest answer body in bytes
     */
    NodeTransport(ClassicActorSystemProvider system, URI url, Supplier<SSLContext> trust, int maxBody) {
        this.materializer = SystemMaterializer.get(system).materializer();
        this.maxBody = maxBody;
        this.headBeforeLength = head(url);
        boolean tls = url.getScheme().equalsIgnoreCase("https");
        int port = url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
        String host = bareHost(url);
        InetSocketAddress peer = InetSocketAddress.createUnresolved(host, port);
        Tcp tcp = Tcp.get(system);
        this.connection = tls
                ? tcp.outgoingConnectionWithTls(
                        peer,
                        () -> engine(trust.get(), host, port),
                        Optional.empty(),
                        OPTIONS,
                        Optional.empty(),
                        Optional.empty(),
                        session -> Optional.empty(),
                        TLSClosing$.MODULE$.ignoreComplete())
                : tcp.outgoingConnection(
                        peer, Optional.empty(), OPTIONS, false, Optional.<Duration>empty(), Optional.empty());
    }

    /**
     * Sends {@code body} as a POST.
     *
     * @param closed run once when the connection counts no longer
     * @return completes with the answer whatever its status, or fails with {@link HttpExchange.NoAnswerException}
     */
    CompletableFuture<HttpAnswer> post(byte[] body, Duration timeout, Runnable closed) {
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        HttpExchange exchange = new HttpExchange(request(body), timeout, maxBody, answer, closed);
        connection.joinMat(exchange, Keep.right()).run(materializer);
        return answer;
    }

    private ByteString request(byte[] body) {
        byte[] length = (body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[headBeforeLength.length + length.length + body.length];
        System.arraycopy(headBeforeLength, 0, whole, 0, headBeforeLength.length);
        System.arraycopy(length, 0, whole, headBeforeLength.length, length.length);
        System.arraycopy(body, 0, whole, headBeforeLength.length + length.length, body.length);
        return ByteString.fromArrayUnsafe(whole);
    }

    private static byte[] head(URI url) {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String target = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
        String host = url.getPort() >= 0 ? url.getHost() + ":" + url.getPort() : url.getHost();
        return ("POST " + target + " HTTP/1.1\r\nHost: " + host
                        + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static String bareHost(URI url) {
        String host = url.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
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
