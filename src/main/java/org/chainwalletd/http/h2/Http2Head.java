package org.chainwalletd.http.h2;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.http.scaladsl.model.ContentType$;
import org.apache.pekko.http.scaladsl.model.IllegalUriException;
import org.apache.pekko.http.scaladsl.model.Uri;
import org.apache.pekko.http.scaladsl.model.Uri$;
import org.chainwalletd.http.h1.RequestFraming;
import org.parboiled2.ParserInput;

/**
 * Checks the header fields of an HTTP/2 request before Pekko HTTP, which accepts some that RFC 9113 calls malformed, fails on others with their text
 * in the log, and joins name and value with a colon to parse them again.
 */
final class Http2Head {
    /** Length of a request without {@code content-length}. */
    static final long UNKNOWN = -1;

    private static final int LONGEST_NAME = 64;
    private static final int LONGEST_VALUE = 8192;
    private static final int MOST_DIGITS = 18;
    private static final Set<String> PSEUDO = Set.of(":method", ":scheme", ":path", ":authority");
    private static final Set<String> METHODS =
            Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final Set<String> ONCE = Set.of("content-length", "content-type");

    /** Section 8.2.2. */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");

    /** Strictness with which Pekko itself parses URIs. */
    private static final Uri.ParsingMode STRICT = org.apache.pekko.http.javadsl.model.Uri.STRICT;

    private static final Uri.ParsingMode RELAXED = org.apache.pekko.http.javadsl.model.Uri.RELAXED;

    private static final BitSet NAME_CHARACTERS = new BitSet();

    static {
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".chars().forEach(NAME_CHARACTERS::set);
    }

    private Http2Head() {}

    /**
     * Returns the announced length of the body, or {@link #UNKNOWN}.
     *
     * @throws Http2Violation for a malformed request (sections 8.2 and 8.3)
     */
    static long ofRequest(List<HpackTable.Field> fields) {
        Map<String, String> seen = new HashMap<>();
        boolean regular = false;
        for (HpackTable.Field field : fields) {
            boolean pseudo = field.name().startsWith(":");
            if (pseudo ? regular || !PSEUDO.contains(field.name()) : !isName(field.name())) {
                throw Http2Violation.protocol("a header field that does not belong there");
            }
            regular |= !pseudo;
            check(field);
            boolean again = seen.put(field.name(), field.value()) != null;
            if (again && (pseudo || ONCE.contains(field.name()))) {
                throw Http2Violation.protocol("a header field twice");
            }
        }
        checkTarget(seen);
        checkType(seen.get("content-type"));
        return length(seen.get("content-length"));
    }

    /** @throws Http2Violation for malformed trailers (section 8.1) */
    static void checkTrailers(List<HpackTable.Field> fields) {
        for (HpackTable.Field field : fields) {
            if (!isName(field.name())) {
                throw Http2Violation.protocol("a trailer field that does not belong there");
            }
            check(field);
        }
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.length() <= LONGEST_NAME && name.chars().allMatch(NAME_CHARACTERS::get);
    }

    private static void check(HpackTable.Field field) {
        String value = field.value();
        if (OF_THE_CONNECTION.contains(field.name()) || field.name().equals("te") && !value.equals("trailers")) {
            throw Http2Violation.protocol("a header field of HTTP/1 connections");
        }
        if (value.length() > LONGEST_VALUE) {
            throw Http2Violation.excess("a header field is too long");
        }
        if (!value.chars().allMatch(c -> c >= ' ' && c != 0x7f || c == '\t') || !value.equals(value.strip())) {
            throw Http2Violation.protocol("a header field with characters that are not allowed");
        }
    }

    private static void checkTarget(Map<String, String> seen) {
        String path = seen.get(":path");
        String scheme = seen.get(":scheme");
        String method = seen.get(":method");
        if (path == null || path.isEmpty() || scheme == null || method == null) {
            throw Http2Violation.protocol("a pseudo-header field is missing");
        }
        if (RequestFraming.isTooLong(path)) {
            throw Http2Violation.excess("a path is too long");
        }
        if (!SCHEMES.contains(scheme) || !METHODS.contains(method)) {
            throw Http2Violation.protocol("an unknown method or scheme");
        }
        String authority = seen.get(":authority");
        try {
            Uri$.MODULE$.parseHttp2PathPseudoHeader(ParserInput.apply(path), StandardCharsets.UTF_8, STRICT);
            if (authority != null) {
                Uri$.MODULE$.parseHttp2AuthorityPseudoHeader(
                        ParserInput.apply(authority), StandardCharsets.UTF_8, RELAXED);
            }
        } catch (IllegalUriException e) {
            throw Http2Violation.protocol("a path or an authority that is none");
        }
    }

    private static void checkType(String type) {
        if (type != null && ContentType$.MODULE$.parse(type).isLeft()) {
            throw Http2Violation.protocol("a content type that is none");
        }
    }

    private static long length(String digits) {
        if (digits == null) {
            return UNKNOWN;
        }
        if (digits.isEmpty() || digits.length() > MOST_DIGITS || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw Http2Violation.protocol("a content-length that is none");
        }
        return Long.parseLong(digits);
    }
}
