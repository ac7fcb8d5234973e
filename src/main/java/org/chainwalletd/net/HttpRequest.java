package org.chainwalletd.net;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Request to an {@link HttpPeer}.
 *
 * @param target appended to the path of the peer's URL, such as {@code /sse?tips=1}; empty: the URL's own path and query
 * @param headers lines without their ends; the headers that frame the request are added when it is written
 * @param body JSON; empty for a GET; must not be modified
 */
public record HttpRequest(Method method, String target, List<String> headers, byte[] body) {
    /** Method of a request (RFC 9110). */
    public enum Method {
        GET,
        POST
    }

    private static final Pattern TARGET = Pattern.compile("(/[\\x21-\\x7e]*)?");
    private static final Pattern HEADER = Pattern.compile("[A-Za-z-]+: [\\x20-\\x7e]*");

    /** @throws IllegalArgumentException for values that could be parsed as more than one header or request */
    public HttpRequest {
        if (!TARGET.matcher(target).matches()) {
            throw new IllegalArgumentException("not the target of a request");
        }
        headers = List.copyOf(headers);
        for (String header : headers) {
            if (!HEADER.matcher(header).matches()) {
                throw new IllegalArgumentException("not a header");
            }
        }
    }

    public static HttpRequest get(String target) {
        return new HttpRequest(Method.GET, target, List.of(), new byte[0]);
    }

    /** Creates a POST to the peer's own URL. */
    public static HttpRequest post(byte[] body) {
        return post("", body);
    }

    public static HttpRequest post(String target, byte[] body) {
        return new HttpRequest(Method.POST, target, List.of(), body);
    }

    /** Returns this request with another header, such as {@code Accept}. */
    public HttpRequest with(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(name + ": " + value);
        return new HttpRequest(method, target, more, body);
    }

    /**
     * Returns the bytes on the wire (RFC 9112).
     *
     * @param ownTarget path and query of the peer's URL
     * @param path of the peer's URL, without a trailing slash
     * @param peerHeaders headers of every request to the peer, each with its line end
     */
    byte[] wire(String ownTarget, String path, String peerHeaders) {
        StringBuilder head = new StringBuilder(256)
                .append(method)
                .append(' ')
                .append(target.isEmpty() ? ownTarget : path + target)
                .append(" HTTP/1.1\r\n")
                .append(peerHeaders);
        headers.forEach(header -> head.append(header).append("\r\n"));
        if (method == Method.POST) {
            head.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(body.length)
                    .append("\r\n");
        }
        byte[] start = head.append("Connection: close\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[start.length + body.length];
        System.arraycopy(start, 0, whole, 0, start.length);
        System.arraycopy(body, 0, whole, start.length, body.length);
        return whole;
    }

    /** Omits target and body, which may contain a secret. */
    @Override
    public String toString() {
        return "HttpRequest[" + method + "]";
    }
}
