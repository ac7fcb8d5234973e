package org.chainwalletd.net;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Where the requests to one peer go, and the head that each begins with (RFC 9112). */
final class PostHead {
    private final String host;
    private final int port;
    private final byte[] beforeLength;

    /**
     * @param url {@code http} or {@code https}, without user information
     * @param bearer visible ASCII
     */
    PostHead(URI url, Optional<String> bearer) {
        String named = url.getHost();
        this.host = named.startsWith("[") ? named.substring(1, named.length() - 1) : named;
        this.port = url.getPort() >= 0 ? url.getPort() : url.getScheme().equalsIgnoreCase("https") ? 443 : 80;
        this.beforeLength = head(url, bearer);
    }

    /** A name, or an address without brackets. */
    String host() {
        return host;
    }

    int port() {
        return port;
    }

    /** The whole request: head and body. */
    byte[] with(byte[] body) {
        byte[] length = (body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[beforeLength.length + length.length + body.length];
        System.arraycopy(beforeLength, 0, whole, 0, beforeLength.length);
        System.arraycopy(length, 0, whole, beforeLength.length, length.length);
        System.arraycopy(body, 0, whole, beforeLength.length + length.length, body.length);
        return whole;
    }

    private static byte[] head(URI url, Optional<String> bearer) {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String target = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
        String authority = url.getPort() >= 0 ? url.getHost() + ":" + url.getPort() : url.getHost();
        return ("POST " + target + " HTTP/1.1\r\nHost: " + authority
                        + "\r\n"
                        + bearer.map(token -> "Authorization: Bearer " + token + "\r\n")
                                .orElse("")
                        + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: ")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
