package org.chainwalletd.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls one daemon. Thread-safe; blocking, one call at a time per thread.
 *
 * <p>With a fingerprint the URL must be {@code https://}, and the server is trusted if and only if its leaf certificate has that SHA-256.
 */
public final class WalletdClient {
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final URI url;
    private final String token;
    private final Duration timeout;
    private final HttpClient http;
    private final AtomicLong ids = new AtomicLong();

    /** As the other constructor, with a time-out of {@link #DEFAULT_TIMEOUT} for each call. */
    public WalletdClient(URI url, String token, Optional<String> fingerprint) {
        this(url, token, fingerprint, DEFAULT_TIMEOUT);
    }

    /**
     * @param token bearer token; never shown in messages
     * @param fingerprint {@code sha256:<64 hex>}, or empty to trust the JDK's authorities
     * @param timeout of one call; a long-poll wait needs more than its own time-out
     * @throws IllegalArgumentException for a fingerprint with a URL that is not https
     */
    public WalletdClient(URI url, String token, Optional<String> fingerprint, Duration timeout) {
        if (fingerprint.isPresent() && !"https".equals(url.getScheme())) {
            throw new IllegalArgumentException("a pinned fingerprint needs an https:// URL, not " + url);
        }
        this.url = url;
        this.token = token;
        this.timeout = timeout;
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(timeout).version(HttpClient.Version.HTTP_1_1);
        fingerprint.ifPresent(pin -> builder.sslContext(PinnedTrust.context(pin)));
        this.http = builder.build();
    }

    /**
     * Calls {@code method} with named parameters and returns its result.
     *
     * @throws WalletdException.RpcError when the daemon answers with an error
     * @throws WalletdException.Transport when there is no JSON-RPC answer
     */
    public JsonNode call(String method, Map<String, ?> params) {
        ObjectNode request = JSON.createObjectNode();
        request.put("jsonrpc", "2.0");
        request.put("id", ids.incrementAndGet());
        request.put("method", method);
        request.set("params", JSON.valueToTree(params));
        return resultOf(send(request));
    }

    private HttpResponse<byte[]> send(ObjectNode request) {
        try {
            HttpRequest post = HttpRequest.newBuilder(url)
                    .timeout(timeout)
                    .header("content-type", "application/json")
                    .header("authorization", "Bearer " + token)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(request)))
                    .build();
            return http.send(post, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw transport(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WalletdException.Transport("interrupted while waiting for " + url, e);
        }
    }

    private WalletdException transport(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PinnedTrust.MismatchException) {
                return new WalletdException.FingerprintMismatch(cause.getMessage(), failure);
            }
        }
        String reason = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        return new WalletdException.Transport("no answer from " + url + ": " + reason, failure);
    }

    private JsonNode resultOf(HttpResponse<byte[]> response) {
        JsonNode answer;
        try {
            answer = JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw notJsonRpc(response, e);
        } catch (IOException e) {
            throw transport(e);
        }
        if (answer.path("error").path("code").isIntegralNumber()) {
            JsonNode error = answer.get("error");
            throw new WalletdException.RpcError(
                    error.get("code").intValue(), error.path("message").asText(), error.get("data"));
        }
        if (!answer.has("result")) {
            throw notJsonRpc(response, null);
        }
        return answer.get("result");
    }

    private WalletdException notJsonRpc(HttpResponse<byte[]> response, Exception cause) {
        return new WalletdException.Transport(
                url + " answered HTTP " + response.statusCode() + " without a JSON-RPC body", cause);
    }
}
