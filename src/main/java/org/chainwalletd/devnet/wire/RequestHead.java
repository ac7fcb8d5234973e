package org.chainwalletd.devnet.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.chainwalletd.devnet.wire.HttpText.Refusal;
import org.chainwalletd.devnet.wire.HttpText.RefusedException;

/**
 * The head of a request, as far as a node looks at it (chain protocol, section 10.1).
 *
 * @param pushTarget path and query as sent of a push stream; null for a POST
 * @param bodyLength of a POST
 */
record RequestHead(String pushTarget, int bodyLength) {
    /** More than this many bytes of head are refused. */
    private static final int MAX_BYTES = 8_192;
    /** Longest body that is read at all. */
    private static final int MAX_BODY_BYTES = 2_621_440;

    /**
     * Reads up to and with the blank line.
     *
     * @throws EOFException when the stream ends before
     */
    static RequestHead read(InputStream in) throws IOException, RefusedException {
        String[] lines = text(in).split("\r\n");
        String requestLine = lines.length == 0 ? "" : lines[0];
        if (requestLine.startsWith("GET ")) {
            String target = requestLine.split(" ", -1)[1];
            if (target.startsWith("/sse")) {
                return new RequestHead(target, 0);
            }
        }
        if (!requestLine.startsWith("POST ")) {
            throw new RefusedException(Refusal.METHOD);
        }
        int bodyLength = contentLength(lines);
        if (bodyLength <= 0) {
            throw new RefusedException(Refusal.CONTENT_LENGTH);
        }
        return new RequestHead(null, bodyLength);
    }

    private static String text(InputStream in) throws IOException, RefusedException {
        byte[] bytes = new byte[MAX_BYTES];
        for (int count = 0; count < MAX_BYTES; count++) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException();
            }
            bytes[count] = (byte) next;
            if (next == '\n'
                    && count >= 3
                    && bytes[count - 1] == '\r'
                    && bytes[count - 2] == '\n'
                    && bytes[count - 3] == '\r') {
                return new String(bytes, 0, count + 1, StandardCharsets.ISO_8859_1);
            }
        }
        throw new RefusedException(Refusal.HEAD_TOO_LARGE);
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
