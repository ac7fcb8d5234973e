package org.chainwalletd.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** The pages for machines that watch the daemon, by path. */
final class Pages {
    private final Map<String, Router.Page> byPath = new LinkedHashMap<>();

    Map<String, Router.Page> byPath() {
        return byPath;
    }

    /** {@code /healthz}: the process answers. {@code /readyz}: it can work; 503 with the reasons when it cannot. */
    Pages health(List<ReadinessCheck> checks) {
        byPath.put("/healthz", Router.Page.of(() -> Responses.text("ok")));
        byPath.put("/readyz", Router.Page.of(() -> readiness(checks)));
        return this;
    }

    /** {@code /metrics} for whoever reaches the listener. */
    Pages openMetrics(HttpServer.Services services) {
        byPath.put(
                "/metrics",
                Router.Page.of(() -> Responses.metrics(services.metrics().get())));
        return this;
    }

    /** {@code /metrics} for a token of any scope: each contains read. */
    Pages guardedMetrics(HttpServer.Services services, Callers callers, Refusals refusals) {
        byPath.put("/metrics", (request, connection) -> {
            Callers.Caller caller = callers.of(request, connection);
            return caller.scope().isEmpty()
                    ? refusals.unauthorized(caller.client())
                    : CompletableFuture.completedFuture(
                            Responses.metrics(services.metrics().get()));
        });
        return this;
    }

    /** {@code /events} for a token of any scope. */
    Pages events(EventPage page) {
        byPath.put(EventPage.PATH, page);
        return this;
    }

    /** The certificate for clients that are about to pin it (interface.md, section 4.1). */
    Pages certificate(TlsIdentity identity) {
        String folder = "/" + identity.daemonName() + "/";
        byPath.put(folder + "cert.pem", Router.Page.of(() -> Responses.certificate(identity.pem())));
        byPath.put(folder + "cert.fingerprint", Router.Page.of(() -> Responses.text(identity.fingerprint())));
        return this;
    }

    /** {@code /console} for people; the page itself needs no token, what it shows does. */
    Pages console() {
        ConsolePage page = ConsolePage.load();
        byPath.put(ConsolePage.PATH, Router.Page.of(page::response));
        return this;
    }

    private static HttpResponse readiness(List<ReadinessCheck> checks) {
        List<String> missing = checks.stream()
                .flatMap(check -> check.missing().stream())
                .map(reason ->
                        '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(reason)) + '"')
                .toList();
        String reasons = missing.stream().collect(Collectors.joining(",", "[", "]"));
        String body = "{\"ready\":" + missing.isEmpty() + ",\"reasons\":" + reasons + "}";
        return Responses.json(missing.isEmpty() ? 200 : 503, body.getBytes(StandardCharsets.UTF_8));
    }
}
