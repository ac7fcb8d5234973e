package org.chainwalletd.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.chainwalletd.api.Call;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.WipedBuffers;
import org.chainwalletd.wire.WireException;

/** JSON-RPC 2.0 on the client's side: requests to bytes, and answers to results or typed failures (interface.md, sections 4.2 and 7.6). */
final class Wire {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final ClassValue<Codec> CODECS = new ClassValue<>() {
        @Override
        protected Codec computeValue(Class<?> call) {
            return Codec.of(call);
        }
    };

    private final URI url;
    private final AtomicLong ids = new AtomicLong();

    /** @param url for messages */
    Wire(URI url) {
        this.url = url;
    }

    /** Writer of one method's parameters and reader of its result. */
    private record Codec(String method, ObjectWriter params, Binder<?> result) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // checked by Call.CallType
        static Codec of(Class<?> call) {
            Call.CallType<?, ?> type = Call.CallType.of((Class) call);
            return new Codec(
                    type.method().name(),
                    Json.paramsWriterFor(type.params()),
                    Binder.lenient(type.result().asSubclass(Record.class)));
        }
    }

    byte[] request(Call<?> call) {
        Codec codec = CODECS.get(call.getClass());
        try {
            return request(codec.method(), codec.params().writeValueAsBytes(call));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the parameters of " + codec.method() + " cannot be written", e);
        } finally {
            WipedBuffers.done();
        }
    }

    byte[] request(String method, Map<String, ?> params) {
        try {
            return request(method, JSON.writeValueAsBytes(params));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the parameters of " + method + " are no JSON", e);
        }
    }

    /** @param params overwritten: they may hold secrets */
    private byte[] request(String method, byte[] params) throws JsonProcessingException {
        ByteArrayOutputStream request = new ByteArrayOutputStream(params.length + 100);
        String head = "{\"jsonrpc\":\"2.0\",\"id\":" + ids.incrementAndGet() + ",\"method\":"
                + JSON.writeValueAsString(method) + ",\"params\":";
        request.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        request.writeBytes(params);
        request.write('}');
        Arrays.fill(params, (byte) 0);
        return request.toByteArray();
    }

    JsonNode result(Transport.Answer response) {
        JsonNode answer;
        try {
            answer = JSON.readTree(response.body());
        } catch (IOException e) {
            throw notJsonRpc(response, e);
        }
        if (answer.path("error").path("code").isIntegralNumber()) {
            JsonNode error = answer.get("error");
            throw WalletdException.RpcError.of(
                    error.get("code").intValue(), error.path("message").asText(), error.get("data"));
        }
        if (!answer.has("result")) {
            throw notJsonRpc(response, null);
        }
        return answer.get("result");
    }

    /** Passes the answer to a {@code GET} on; what is not HTTP 200 fails as a call would that ends for the same reason. */
    Transport.Answer ok(Transport.Answer response) {
        String words = "HTTP " + response.status() + " from " + url;
        switch (response.status()) {
            case 200:
                return response;
            case 400:
                throw WalletdException.RpcError.of(-32602, words, null);
            case 401:
                throw WalletdException.RpcError.of(-32001, words, null);
            case 429:
                throw WalletdException.RpcError.of(-32042, words, null);
            default:
                throw new WalletdException.Transport(words, null);
        }
    }

    /** Reasons in the answer of {@code GET /readyz}, which has HTTP 503 when there are any. */
    List<String> reasons(Transport.Answer response) {
        try {
            JsonNode reasons = JSON.readTree(response.body()).path("reasons");
            if (reasons.isArray()) {
                List<String> words = new ArrayList<>();
                reasons.forEach(reason -> words.add(reason.asText()));
                return words;
            }
        } catch (IOException e) {
            throw new WalletdException.Transport("HTTP " + response.status() + " from " + url, e);
        }
        throw new WalletdException.Transport("HTTP " + response.status() + " from " + url, null);
    }

    /** A result that is not what the method gives comes from another daemon than this client was made for. */
    @SuppressWarnings("unchecked") // the codec of a Call<R> reads an R
    <R> R read(Call<R> call, JsonNode result) {
        Codec codec = CODECS.get(call.getClass());
        try {
            return (R) codec.result().bind(result);
        } catch (WireException e) {
            throw new WalletdException.Transport(
                    url + " answered " + codec.method() + " with something else than its result: " + e.inAnswer(), e);
        }
    }

    WalletdException transportFailure(Throwable failure) {
        Throwable reason = Reason.of(failure);
        for (Throwable cause = reason; cause != null; cause = cause.getCause()) {
            if (cause instanceof JdkTransport.PinnedTrust.MismatchException) {
                return new WalletdException.FingerprintMismatch(cause.getMessage(), reason);
            }
        }
        return new WalletdException.Transport(Reason.words(reason, url.toString()), reason);
    }

    private WalletdException notJsonRpc(Transport.Answer response, Exception cause) {
        return new WalletdException.Transport(
                url + " answered HTTP " + response.status() + " without a JSON-RPC body", cause);
    }

    /** Why a call failed, without what stages wrap around it. The daemon has the same in a package that is not in the client's jar. */
    static final class Reason {
        private Reason() {}

        /** Explains in a sentence why there was no answer, and what helps, since the JDK's own messages need knowledge of the JDK. */
        static String words(Throwable reason, String url) {
            if (has(UnresolvedAddressException.class, reason)) {
                return "no machine is known by the name in " + url;
            }
            if (reason instanceof ConnectException) {
                return "connection refused at " + url + ": is the daemon running?";
            }
            String told = reason.getMessage() == null ? reason.getClass().getSimpleName() : reason.getMessage();
            if (has(CertificateException.class, reason)) {
                String why = has(CertificateExpiredException.class, reason)
                        ? " has expired"
                        : told.contains("No subject alternative") || told.contains("No name matching")
                                ? " is for another host name"
                                : " is signed by nobody whom this machine trusts";
                return "the certificate of " + url + why
                        + ". Pin it by its fingerprint, which stands in cert.fingerprint in"
                        + " the daemon's datadir (WALLETD_FINGERPRINT, or --fingerprint on the command line)";
            }
            if (reason instanceof SSLException && told.contains("SSL message")) {
                return url + " does not speak TLS: a daemon without --tls is at http://";
            }
            if (reason instanceof SSLException) {
                return "no TLS connection to " + url + ": " + told;
            }
            if (told.contains("header parser received no bytes")) {
                return url + " has closed the connection without an answer: "
                        + (url.startsWith("https:")
                                ? "perhaps it does not speak TLS: a daemon without --tls is at http://"
                                : "a daemon with --tls is at https://");
            }
            return "no answer from " + url + ": " + told;
        }

        private static boolean has(Class<? extends Throwable> kind, Throwable reason) {
            for (Throwable cause = reason; cause != null; cause = cause.getCause()) {
                if (kind.isInstance(cause)) {
                    return true;
                }
            }
            return false;
        }

        static Throwable of(Throwable failure) {
            Throwable reason = failure;
            while (reason instanceof CompletionException && reason.getCause() != null) {
                reason = reason.getCause();
            }
            return reason;
        }
    }
}
