package org.chainwalletd.client;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Transport over the JDK's HTTP client; a pinned certificate, if any, replaces the certificate authorities. */
final class JdkTransport implements Transport {
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final HttpClient http;

    JdkTransport(Optional<String> fingerprint, Duration connecting) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(connecting).version(HttpClient.Version.HTTP_1_1);
        fingerprint.ifPresent(pin -> builder.sslContext(PinnedTrust.context(pin)));
        this.http = builder.build();
    }

    /**
     * Sends {@code GET url}.
     *
     * @return fails with an {@link java.io.IOException} when there is no answer
     */
    CompletableFuture<Answer> get(URI url, String token, Duration timeout) {
        HttpRequest get = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("authorization", "Bearer " + token)
                .build();
        return http.sendAsync(get, HttpResponse.BodyHandlers.ofByteArray())
                .thenApplyAsync(response -> new Answer(response.statusCode(), response.body()), ON_COMPLETING_THREAD);
    }

    /**
     * Streams the body of {@code GET url} to {@code into}. With a status other than 200 it passes nothing on, and the stage has the answer's bytes.
     *
     * @param timeout for the head of the answer to arrive
     */
    CompletableFuture<Answer> stream(
            URI url, String token, Optional<String> lastEventId, Duration timeout, EventStream into) {
        HttpRequest.Builder get = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("accept", "text/event-stream")
                .header("authorization", "Bearer " + token);
        lastEventId.ifPresent(id -> get.header("last-event-id", id));
        CompletableFuture<Answer> head = new CompletableFuture<>();
        http.sendAsync(get.build(), response -> {
                    if (response.statusCode() != 200) {
                        return HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofByteArray(),
                                body -> head.complete(new Answer(response.statusCode(), body)));
                    }
                    head.complete(new Answer(200, new byte[0]));
                    return HttpResponse.BodySubscribers.fromSubscriber(into.subscriber(), nothing -> true);
                })
                .whenCompleteAsync(
                        (response, failure) -> {
                            if (failure != null) {
                                head.completeExceptionally(failure);
                            }
                        },
                        ON_COMPLETING_THREAD);
        return head;
    }

    @Override
    public CompletableFuture<Answer> post(URI url, String token, byte[] body, Duration timeout) {
        HttpRequest post = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("content-type", "application/json")
                .header("authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        CompletableFuture<HttpResponse<byte[]>> sent = http.sendAsync(post, HttpResponse.BodyHandlers.ofByteArray());
        CompletableFuture<Answer> answer = sent.thenApplyAsync(
                response -> new Answer(response.statusCode(), response.body()), ON_COMPLETING_THREAD);
        // Cancelling the answer cancels the exchange, so that the daemon sees the disconnect and stops waiting.
        answer.whenCompleteAsync(
                (given, failure) -> {
                    if (answer.isCancelled()) {
                        sent.cancel(true);
                    }
                },
                ON_COMPLETING_THREAD);
        return answer;
    }

    /** Trusts a server if and only if the SHA-256 of its leaf certificate is the pinned one; no certificate authority is consulted. */
    static final class PinnedTrust extends X509ExtendedTrustManager {
        private final byte[] pinned;

        private PinnedTrust(byte[] pinned) {
            this.pinned = pinned;
        }

        /**
         * @param fingerprint {@code sha256:} and 64 lower-case hex characters
         */
        static SSLContext context(String fingerprint) {
            if (!fingerprint.matches("sha256:[0-9a-f]{64}")) {
                throw new IllegalArgumentException(
                        "a fingerprint reads sha256:<64 lower-case hex>, not '" + fingerprint + "'");
            }
            byte[] pinned = HexFormat.of().parseHex(fingerprint, "sha256:".length(), fingerprint.length());
            try {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, new TrustManager[] {new PinnedTrust(pinned)}, null);
                return context;
            } catch (NoSuchAlgorithmException | KeyManagementException e) {
                throw new IllegalStateException("every JDK has TLS", e);
            }
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            try {
                byte[] actual = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
                if (!MessageDigest.isEqual(actual, pinned)) {
                    throw new MismatchException("the server's certificate is sha256:"
                            + HexFormat.of().formatHex(actual) + ", not the pinned one");
                }
            } catch (MismatchException e) {
                throw e;
            } catch (GeneralSecurityException e) {
                throw new CertificateException("unreadable certificate", e);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no client is trusted");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw new CertificateException("no client is trusted");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("no client is trusted");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }

        /** Signals a wrong fingerprint, in contrast to every other TLS failure. */
        static final class MismatchException extends CertificateException {
            private static final long serialVersionUID = 1L;

            MismatchException(String message) {
                super(message);
            }
        }
    }
}
