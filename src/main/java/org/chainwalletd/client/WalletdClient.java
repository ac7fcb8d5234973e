package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.chainwalletd.api.Call;

/**
 * Client of one daemon. Thread-safe.
 *
 * <p>With a fingerprint the URL must be {@code https://}, and the server is trusted if and only if the SHA-256 of its leaf certificate
 * equals it; no certificate authority is consulted (interface.md, section 5.5). The client never repeats a call on its own;
 * {@link Settlement} repeats spends, by the rules that make it safe.
 */
public final class WalletdClient implements WalletdCalls {
    /** Default timeout of a call; the wait time of a long-poll call is added to it. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public static final String URL_VARIABLE = "WALLETD_URL";
    public static final String TOKEN_VARIABLE = "WALLETD_AUTH_TOKEN";
    public static final String FINGERPRINT_VARIABLE = "WALLETD_FINGERPRINT";

    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final URI url;
    private final String token;
    private final Duration timeout;
    private final Transport transport;
    private final Wire wire;

    /** Creates a client with a timeout of {@link #DEFAULT_TIMEOUT} for each call. */
    public WalletdClient(URI url, String token, Optional<String> fingerprint) {
        this(url, token, fingerprint, DEFAULT_TIMEOUT);
    }

    /**
     * @param token bearer token; never shown in messages
     * @param fingerprint {@code sha256:<64 hex>}, or empty to trust the JDK's authorities
     * @param timeout of one call, in addition to the time that the daemon is asked to wait
     * @throws IllegalArgumentException for a fingerprint with a URL that is not https
     */
    public WalletdClient(URI url, String token, Optional<String> fingerprint, Duration timeout) {
        this(with(builder(url, token).timeout(timeout), fingerprint));
    }

    private WalletdClient(Builder builder) {
        if (!TOKEN.matcher(builder.token).matches()) {
            throw new IllegalArgumentException("a token has one or more visible ASCII characters");
        }
        if (builder.fingerprint.isPresent() && !"https".equals(builder.url.getScheme())) {
            throw new IllegalArgumentException("a pinned fingerprint needs an https:// URL, not " + builder.url);
        }
        if (builder.fingerprint.isPresent() && builder.transport.isPresent()) {
            throw new IllegalArgumentException("a transport of your own checks certificates itself:"
                    + " give either a transport or a fingerprint");
        }
        this.url = builder.url;
        this.token = builder.token;
        this.timeout = builder.timeout;
        this.wire = new Wire(url);
        this.transport = builder.transport.orElseGet(() -> new JdkTransport(builder.fingerprint, builder.timeout));
    }

    private static Builder with(Builder builder, Optional<String> fingerprint) {
        fingerprint.ifPresent(builder::fingerprint);
        return builder;
    }

    public static Builder builder(URI url, String token) {
        return new Builder(url, token);
    }

    /**
     * Creates a client from {@code WALLETD_URL}, {@code WALLETD_AUTH_TOKEN} and, if set, {@code WALLETD_FINGERPRINT}.
     *
     * @throws IllegalArgumentException when one of the first two is missing
     */
    public static WalletdClient fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    static WalletdClient fromEnvironment(Map<String, String> environment) {
        Builder builder = builder(URI.create(needed(environment, URL_VARIABLE)), needed(environment, TOKEN_VARIABLE));
        return with(builder, given(environment, FINGERPRINT_VARIABLE)).build();
    }

    private static Optional<String> given(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    private static String needed(Map<String, String> environment, String name) {
        return given(environment, name).orElseThrow(() -> new IllegalArgumentException("set " + name));
    }

    /** Settings of a new client. */
    public static final class Builder {
        private final URI url;
        private final String token;
        private Optional<String> fingerprint = Optional.empty();
        private Optional<Transport> transport = Optional.empty();
        private Duration timeout = DEFAULT_TIMEOUT;

        private Builder(URI url, String token) {
            this.url = url;
            this.token = token;
        }

        /** @param pinned {@code sha256:<64 hex>} of the only certificate that is trusted; not together with a transport */
        public Builder fingerprint(String pinned) {
            this.fingerprint = Optional.of(pinned);
            return this;
        }

        /** Replaces the JDK's HTTP client; cannot be combined with a fingerprint. */
        public Builder transport(Transport own) {
            this.transport = Optional.of(own);
            return this;
        }

        /** Sets the timeout of one call, beyond the time that the daemon itself is asked to wait. */
        public Builder timeout(Duration ofOneCall) {
            this.timeout = ofOneCall;
            return this;
        }

        /**
         * @throws IllegalArgumentException for a fingerprint with a URL that is not https, or with a transport
         */
        public WalletdClient build() {
            return new WalletdClient(this);
        }
    }

    @Override
    public <R> CompletableFuture<R> callAsync(Call<R> call) {
        return send(call);
    }

    /**
     * @throws WalletdException.RpcError when the daemon answers with an error
     * @throws WalletdException.Transport when there is no answer, or not one of this method
     */
    @Override
    public <R> R call(Call<R> call) {
        return await(send(call));
    }

    /**
     * Calls {@code method} with named parameters and returns its result unparsed. The method need not be known to this client.
     *
     * @throws WalletdException.RpcError when the daemon answers with an error
     * @throws WalletdException.Transport when there is no JSON-RPC answer
     */
    public JsonNode call(String method, Map<String, ?> params) {
        return await(send(wire.request(method, params), timeout, result -> result));
    }

    /**
     * Returns the daemon's metrics from {@code GET /metrics}, in the Prometheus text format. Needs a token of any scope.
     *
     * @throws WalletdException.Authentication for a wrong token
     * @throws WalletdException.Transport when there is no such page
     * @throws IllegalStateException for a client with a transport of its own, which carries calls only
     */
    public String metrics() {
        Transport.Answer answer = await(jdk().get(beside("metrics"), token, timeout)
                .handleAsync((given, failure) -> arrived(given, failure), ON_COMPLETING_THREAD));
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /**
     * Asks {@code GET /readyz} for the reasons why the daemon is not ready; empty when it is.
     *
     * @throws WalletdException.Transport when there is no such answer
     * @throws IllegalStateException for a client with a transport of its own, which carries calls only
     */
    public List<String> notReady() {
        Transport.Answer answer = await(jdk().get(beside("readyz"), token, timeout)
                .handleAsync(
                        (given, failure) -> {
                            if (failure != null) {
                                throw wire.transportFailure(failure);
                            }
                            return given;
                        },
                        ON_COMPLETING_THREAD));
        return wire.reasons(answer);
    }

    /**
     * Opens {@code GET /events}. Needs a token of any scope.
     *
     * @param lastEventId id of the last credit received, to continue after it; empty starts with new events
     * @throws WalletdException.InvalidParams for an id from other books
     * @throws WalletdException.Authentication for a wrong token
     * @throws WalletdException.RpcError with code -32042 when too many streams are open
     * @throws WalletdException.Transport when there is no such stream
     * @throws IllegalStateException for a client with a transport of its own, which carries calls only
     */
    public EventStream events(Optional<String> lastEventId) {
        EventStream stream = new EventStream(url.toString());
        await(jdk().stream(beside("events"), token, lastEventId, timeout, stream)
                .handleAsync((given, failure) -> arrived(given, failure), ON_COMPLETING_THREAD));
        return stream;
    }

    /** Resolves {@code name} next to the path of the RPC endpoint, which need not be {@code /} behind a TLS terminator. */
    private URI beside(String name) {
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return url.resolve(path.substring(0, path.lastIndexOf('/') + 1).isEmpty() ? "/" + name : name);
    }

    private JdkTransport jdk() {
        if (transport instanceof JdkTransport own) {
            return own;
        }
        throw new IllegalStateException("a transport of one's own carries calls only");
    }

    private Transport.Answer arrived(Transport.Answer given, Throwable failure) {
        if (failure != null) {
            throw wire.transportFailure(failure);
        }
        return wire.ok(given);
    }

    private <R> CompletableFuture<R> send(Call<R> call) {
        return send(wire.request(call), timeout.plus(call.waits()), result -> wire.read(call, result));
    }

    private <R> CompletableFuture<R> send(byte[] request, Duration patience, Function<JsonNode, R> reader) {
        CompletableFuture<Transport.Answer> sent = transport.post(url, token, request, patience);
        CompletableFuture<R> result = sent.handleAsync(
                (answer, failure) -> {
                    if (failure != null) {
                        throw wire.transportFailure(failure);
                    }
                    return reader.apply(wire.result(answer));
                },
                ON_COMPLETING_THREAD);
        result.whenCompleteAsync(
                (given, failure) -> {
                    if (result.isCancelled()) {
                        sent.cancel(true);
                    }
                },
                ON_COMPLETING_THREAD);
        return result;
    }

    private <R> R await(CompletableFuture<R> result) {
        try {
            return result.get();
        } catch (InterruptedException e) {
            result.cancel(true);
            Thread.currentThread().interrupt();
            throw new WalletdException.Transport("interrupted while waiting for " + url, e);
        } catch (ExecutionException | CancellationException e) {
            if (e.getCause() instanceof WalletdException known) {
                throw known.thrownHere();
            }
            throw new WalletdException.Transport("no answer from " + url, e);
        }
    }
}
