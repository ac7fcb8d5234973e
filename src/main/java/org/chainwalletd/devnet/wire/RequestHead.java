package org.chainwalletd.devnet.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The head of a request, as far as a node looks at it (chain protocol, section 10.1): the method, the target of a push stream, and the
 * length of the body.
 */
sealed interface RequestHead {
    /** More than this many bytes of head are refused. */
    int MAX_BYTES = 8_192;
    /** Longest body that is read at all. */
    int MAX_BODY_BYTES = 2_621_440;

    record Incomplete() implements RequestHead {}

    record Refused(HttpText.Refusal refusal) implements RequestHead {}

    /**
     * @param headLength bytes up to and with the blank line
     */
    record Post(int headLength, int bodyLength) implements RequestHead {}

    /**
     * @param target path and query as sent
     */
    record Push(String target) implements RequestHead {}

    /** Reads the first {@code count} bytes of what has arrived. */
    static RequestHead read(byte[] bytes, int count) {
        int end = endOfHead(bytes, count);
        if (end < 0) {
            return count >= MAX_BYTES ? new Refused(HttpText.Refusal.HEAD_TOO_LARGE) : new Incomplete();
        }
        if (end > MAX_BYTES) {
            return new Refused(HttpText.Refusal.HEAD_TOO_LARGE);
        }
        String[] lines = new String(bytes, 0, end, StandardCharsets.ISO_8859_1).split("\r\n");
        String requestLine = lines.length == 0 ? "" : lines[0];
        if (requestLine.startsWith("GET ")) {
            String target = requestLine.split(" ", -1)[1];
            if (target.startsWith("/sse")) {
                return new Push(target);
            }
        }
        if (!requestLine.startsWith("POST ")) {
            return new Refused(HttpText.Refusal.METHOD);
        }
        int bodyLength = contentLength(lines);
        return bodyLength <= 0 ? new Refused(HttpText.Refusal.CONTENT_LENGTH) : new Post(end, bodyLength);
    }

    private static int endOfHead(byte[] bytes, int count) {
        for (int i = 3; i < count; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    /** The announced length, 0 when it is missing, not a number or above the cap. */
    private static int contentLength(String[] lines) {
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0
                    && lines[i].substring(0, colon).toLowerCase(Locale.ROOT).equals("content-length")) {
                String value = lines[i].substring(colon + 1).strip();
                boolean number = value.matches("\\+?[0-9]{1,10}");
                long length = number ? Long.parseLong(value) : 0;
                return length > MAX_BODY_BYTES ? 0 : (int) length;
            }
        }
        return 0;
    }
}
