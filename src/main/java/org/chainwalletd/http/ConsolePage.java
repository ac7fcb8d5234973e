package org.chainwalletd.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/**
 * {@code GET /console}: one page about the daemon for people. It holds nothing but text and script, asks for a read token, keeps it in the
 * script's memory, and then is a client like any other. Only its own script and style run, named by their SHA-256 (Content Security Policy
 * level 2), it talks to nobody but the daemon, and nobody may frame it.
 */
final class ConsolePage {
    static final String PATH = "/console";

    private final HttpResponse response;

    private ConsolePage(HttpResponse response) {
        this.response = response;
    }

    /** Reads the page from the class path. */
    static ConsolePage load() {
        try (InputStream in = ConsolePage.class.getResourceAsStream("console.html")) {
            String page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new ConsolePage(HttpResponse.create()
                    .withHeaders(headers(page))
                    .withEntity(HttpEntities.create(ContentTypes.TEXT_HTML_UTF8, page)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HttpResponse response() {
        return response;
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

    /** Of what stands between the element's tags, as the browser computes it. */
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
