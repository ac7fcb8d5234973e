package org.chainwalletd.http.pages;

import static org.apache.pekko.http.javadsl.server.Directives.attribute;
import static org.apache.pekko.http.javadsl.server.Directives.complete;
import static org.apache.pekko.http.javadsl.server.Directives.completeWithFuture;
import static org.apache.pekko.http.javadsl.server.Directives.concat;
import static org.apache.pekko.http.javadsl.server.Directives.extractRequest;
import static org.apache.pekko.http.javadsl.server.Directives.get;
import static org.apache.pekko.http.javadsl.server.Directives.head;
import static org.apache.pekko.http.javadsl.server.Directives.options;
import static org.apache.pekko.http.javadsl.server.Directives.path;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.PathMatcher0;
import org.apache.pekko.http.javadsl.server.PathMatchers;
import org.apache.pekko.http.javadsl.server.Route;
import org.chainwalletd.http.door.Callers;
import org.chainwalletd.http.door.Refusals;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.http.tls.TlsIdentity;

/** Pages besides {@code POST /}, for monitoring and for people. Small answers to GET and HEAD. */
public final class Pages {
    private static final String ALLOWS = "GET, HEAD, OPTIONS";

    private final List<Route> routes = new ArrayList<>();

    /** Route of all added pages; 404 for any other path. */
    public Route route() {
        Route none = complete(Responses.refusal(404, "no such path"));
        return routes.isEmpty()
                ? none
                : concat(concat(routes.get(0), routes.subList(1, routes.size()).toArray(Route[]::new)), none);
    }

    private void add(String path, Router.Page page) {
        routes.add(path(
                segments(path),
                () -> concat(
                        get(() -> answered(page)),
                        head(() -> answered(page)),
                        options(() -> complete(Responses.options(ALLOWS))),
                        complete(Responses.wrongMethod(ALLOWS)))));
    }

    private static Route answered(Router.Page page) {
        return extractRequest(request ->
                attribute(Router.CONNECTION, connection -> completeWithFuture(page.answer(request, connection))));
    }

    private static PathMatcher0 segments(String path) {
        String[] words = path.substring(1).split("/");
        PathMatcher0 matcher = PathMatchers.segment(words[0]);
        for (int i = 1; i < words.length; i++) {
            matcher = matcher.slash(words[i]);
        }
        return matcher;
    }

    /** {@code /healthz}: the process answers. {@code /readyz}: it can work; 503 with the reasons when it cannot. */
    public Pages health(List<ReadinessCheck> checks) {
        add("/healthz", Router.Page.of(() -> Responses.text("ok")));
        add("/readyz", Router.Page.of(() -> readiness(checks)));
        return this;
    }

    /** {@code /metrics} without a token. */
    public Pages openMetrics(Supplier<String> metrics) {
        add("/metrics", Router.Page.of(() -> Responses.metrics(metrics.get())));
        return this;
    }

    /** {@code /metrics} for a token of any scope: each includes read. */
    public Pages guardedMetrics(Supplier<String> metrics, Callers callers, Refusals refusals) {
        add("/metrics", (request, connection) -> {
            Callers.Caller caller = callers.of(request, connection);
            if (caller.grant().isEmpty()) {
                return refusals.unauthorized(caller.client());
            }
            Optional<HttpResponse> refusal = Responses.refusal(caller.grant().get(), "/metrics");
            return refusal.isPresent()
                    ? CompletableFuture.completedFuture(refusal.get())
                    : CompletableFuture.completedFuture(Responses.metrics(metrics.get()));
        });
        return this;
    }

    /** {@code /events} for a token of any scope. */
    public Pages events(EventPage page) {
        add(EventPage.PATH, page);
        return this;
    }

    /** Certificate for clients that pin it (interface.md, section 4.1). */
    public Pages certificate(TlsIdentity identity) {
        String folder = "/" + identity.daemonName() + "/";
        add(folder + "cert.pem", Router.Page.of(() -> Responses.certificate(identity.pem())));
        add(folder + "cert.fingerprint", Router.Page.of(() -> Responses.text(identity.fingerprint())));
        return this;
    }

    /** {@code /console} for people; the page itself needs no token, its data do. */
    public Pages console() {
        HttpResponse page = ConsolePage.load();
        add("/console", Router.Page.of(() -> page));
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

    /**
     * {@code GET /console}: page about the daemon for people. It contains only text and script, asks for a read token, keeps it in the script's
     * memory, and then acts like any other client. Only its own script and style run, identified by their SHA-256 (Content Security Policy level
     * 2); it connects only to the daemon, and cannot be framed.
     */
    private static final class ConsolePage {
        private ConsolePage() {}

        /** Reads the page from the class path. */
        static HttpResponse load() {
            try (InputStream in = ConsolePage.class.getResourceAsStream("/org/chainwalletd/http/console.html")) {
                String page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return HttpResponse.create()
                        .withHeaders(headers(page))
                        .withEntity(HttpEntities.create(ContentTypes.TEXT_HTML_UTF8, page));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static List<HttpHeader> headers(String page) {
            String policy = "default-src 'none'; script-src '" + digestOf(page, "script") + "'; style-src '"
                    + digestOf(page, "style")
                    + "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
            return List.of(
                    RawHeader.create("Content-Security-Policy", policy),
                    RawHeader.create("Cache-Control", "no-store"),
                    RawHeader.create("Referrer-Policy", "no-referrer"),
                    RawHeader.create("X-Content-Type-Options", "nosniff"),
                    RawHeader.create("X-Frame-Options", "DENY"));
        }

        /** Digest of the text between the element's tags, as the browser computes it. */
        private static String digestOf(String page, String element) {
            int start = page.indexOf("<" + element + ">") + element.length() + 2;
            String content = page.substring(start, page.indexOf("</" + element + ">", start));
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
                return "sha256-" + Base64.getEncoder().encodeToString(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("the JDK lacks SHA-256", e);
            }
        }
    }

    /** Condition of {@code GET /readyz}. */
    @FunctionalInterface
    public interface ReadinessCheck {
        /** Reason why the daemon cannot work yet, a few words of plain ASCII; empty if it can. Must not block. */
        Optional<String> missing();
    }
}
