package org.chainwalletd.net;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Incremental parser for one HTTP/1.1 answer (RFC 9112), delimited by Content-Length, chunked coding, or the end of the connection. Rejects
 * everything ambiguous: a bare LF, a folded or nameless header line, a repeated Content-Length, a Content-Length with a transfer coding, a coding
 * other than {@code chunked}, and a change of protocol. Buffers at most one head or one line, whatever the peer sends. Not thread-safe.
 */
final class HttpAnswerReader {
    /** Maximum length of the status line plus headers, and of the trailer section. */
    static final int MAX_HEAD_BYTES = 16 * 1024;

    /** Maximum number of interim answers (1xx) before the final one. */
    static final int MAX_INTERIM = 8;

    private static final int FIRST_LINES = 512;

    /** Maximum length of a chunk size with an extension, which is ignored (RFC 9112, section 7.1.1). */
    private static final int MAX_CHUNK_LINE = 256;

    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.[01] [1-5][0-9][0-9]( [\\t\\x20-\\x7e\\x80-\\xff]*)?");
    private static final Pattern FIELD =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\\t\\x20-\\x7e\\x80-\\xff]*)");
    private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,17}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("([0-9a-fA-F]{1,8})(;[\\t\\x20-\\x7e\\x80-\\xff]*)?");

    /** Receives the parsed parts. Its methods may throw {@link MalformedException}. */
    interface Body {
        /**
         * Called when the head is complete.
         *
         * @param length of the body, or -1 if not announced
         */
        void begin(int status, long length);

        /** Called when a chunk of {@code more} bytes is announced. */
        void expect(long more);

        /** Called with the next {@code count} bytes, which must be copied. */
        void append(byte[] piece, int from, int count);
    }

    private enum Part {
        HEAD,
        BODY_OF_KNOWN_LENGTH,
        BODY_UNTIL_END,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER,
        COMPLETE
    }

    /** The peer's answer is not HTTP or is too long, or other buffered answers leave no room for it. */
    static final class MalformedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    private final Body body;
    private Part part = Part.HEAD;
    /** Status line, header lines, a line between chunks, or trailers, as far as received. */
    private byte[] lines = new byte[FIRST_LINES];

    private int buffered;
    private int lineStart;
    private int interim;
    private boolean http10;
    private int status;
    /** Value of the Content-Length header; -1 without one. */
    private long announced;

    private boolean chunked;
    private long missing;
    /** Total bytes of chunk extensions, limited because otherwise each byte of a body could cost a line. */
    private int extensions;

    HttpAnswerReader(Body body) {
        this.body = body;
    }

    /**
     * Takes the next piece: the first {@code length} bytes of {@code piece}, which are copied. Bytes after the answer are dropped.
     *
     * @return whether the answer is complete
     * @throws MalformedException if it can never become complete
     */
    boolean accept(byte[] piece, int length) {
        int at = 0;
        while (at < length && part != Part.COMPLETE) {
            at = switch (part) {
                case HEAD, TRAILER -> section(piece, at, length);
                case CHUNK_SIZE, CHUNK_END -> chunkLine(piece, at, length);
                case BODY_OF_KNOWN_LENGTH, CHUNK -> counted(piece, at, length);
                case BODY_UNTIL_END -> uncounted(piece, at, length);
                case COMPLETE -> length;
            };
        }
        return part == Part.COMPLETE;
    }

    /**
     * Handles the end of the connection.
     *
     * @return whether the answer is complete
     */
    boolean end() {
        if (part == Part.BODY_UNTIL_END) {
            part = Part.COMPLETE;
        }
        return part == Part.COMPLETE;
    }

    /** Returns whether nothing has been received. */
    boolean isEmpty() {
        return part == Part.HEAD && buffered == 0 && interim == 0;
    }

    /** Returns whether the head is complete. */
    boolean hasHead() {
        return part != Part.HEAD;
    }

    /** Reads header lines up to an empty one. */
    private int section(byte[] piece, int from, int to) {
        for (int at = from; at < to; at++) {
            buffer(piece[at], MAX_HEAD_BYTES, part == Part.HEAD ? "headers" : "trailers");
            if (piece[at] == '\n') {
                String line = line(lineStart);
                if (part == Part.HEAD && lineStart == 0) {
                    readStatus(line);
                } else if (line.isEmpty()) {
                    resetLines();
                    endSection();
                    return at + 1;
                } else {
                    readField(line);
                }
                lineStart = buffered;
            }
        }
        return to;
    }

    private void readStatus(String line) {
        if (!STATUS_LINE.matcher(line).matches()) {
            throw new MalformedException("no HTTP status line");
        }
        http10 = line.startsWith("HTTP/1.0");
        status = Integer.parseInt(line.substring(9, 12));
        announced = -1;
        chunked = false;
    }

    /** Parses a header field; fields of a trailer section are ignored. */
    private void readField(String line) {
        Matcher field = FIELD.matcher(line);
        if (!field.matches()) {
            throw new MalformedException("an unreadable header line");
        }
        if (part == Part.TRAILER) {
            return;
        }
        String name = field.group(1).toLowerCase(Locale.ROOT);
        String value = field.group(2).strip();
        if (name.equals("content-length")) {
            if (announced >= 0 || !LENGTH.matcher(value).matches()) {
                throw new MalformedException("an unreadable or repeated Content-Length");
            }
            announced = Long.parseLong(value);
        } else if (name.equals("transfer-encoding")) {
            if (chunked || http10 || !value.equalsIgnoreCase("chunked")) {
                throw new MalformedException("an unknown transfer coding");
            }
            chunked = true;
        }
    }

    private void endSection() {
        if (part == Part.TRAILER) {
            part = Part.COMPLETE;
        } else if (chunked && announced >= 0) {
            throw new MalformedException("a Content-Length beside a transfer coding");
        } else if (status < 200) {
            endInterim();
        } else {
            beginBody();
        }
    }

    /** Ends an interim answer: it has no body, and another answer follows (RFC 9110, section 15.2). */
    private void endInterim() {
        if (status == 101 || chunked || announced >= 0) {
            throw new MalformedException("an interim answer that changes the protocol or has a body");
        }
        interim++;
        if (interim > MAX_INTERIM) {
            throw new MalformedException("more than " + MAX_INTERIM + " interim answers");
        }
    }

    private void beginBody() {
        boolean hasBody = status != 204 && status != 304;
        missing = hasBody ? announced : 0;
        body.begin(status, missing);
        if (missing == 0) {
            part = Part.COMPLETE;
        } else if (chunked) {
            part = Part.CHUNK_SIZE;
        } else {
            part = missing > 0 ? Part.BODY_OF_KNOWN_LENGTH : Part.BODY_UNTIL_END;
        }
    }

    private int counted(byte[] piece, int from, int to) {
        int count = (int) Math.min(missing, to - from);
        body.append(piece, from, count);
        missing -= count;
        if (missing == 0) {
            part = part == Part.CHUNK ? Part.CHUNK_END : Part.COMPLETE;
        }
        return from + count;
    }

    private int uncounted(byte[] piece, int from, int to) {
        body.append(piece, from, to - from);
        return to;
    }

    private int chunkLine(byte[] piece, int from, int to) {
        for (int at = from; at < to; at++) {
            buffer(piece[at], MAX_CHUNK_LINE, "a chunk line");
            if (piece[at] == '\n') {
                String text = line(0);
                resetLines();
                endChunkLine(text);
                return at + 1;
            }
        }
        return to;
    }

    private void endChunkLine(String text) {
        if (part == Part.CHUNK_END) {
            if (!text.isEmpty()) {
                throw new MalformedException("a chunk that is longer than announced");
            }
            part = Part.CHUNK_SIZE;
            return;
        }
        Matcher size = CHUNK_SIZE.matcher(text);
        if (!size.matches()) {
            throw new MalformedException("an unreadable chunk size");
        }
        extensions += text.length() - size.end(1);
        if (extensions > MAX_HEAD_BYTES) {
            throw new MalformedException("chunk extensions of more than " + MAX_HEAD_BYTES + " bytes");
        }
        missing = Long.parseLong(size.group(1), 16);
        body.expect(missing);
        part = missing == 0 ? Part.TRAILER : Part.CHUNK;
    }

    private void buffer(byte value, int most, String what) {
        if (buffered == most) {
            throw new MalformedException(what + " of more than " + most + " bytes");
        }
        if (buffered == lines.length) {
            lines = Arrays.copyOf(lines, 2 * lines.length);
        }
        lines[buffered++] = value;
    }

    /** Returns the line from {@code from} to the end of the buffer, without its CR LF. */
    private String line(int from) {
        int end = buffered - 2;
        if (end < from || lines[end] != '\r') {
            throw new MalformedException("a line that does not end with CR LF");
        }
        return new String(lines, from, end - from, StandardCharsets.ISO_8859_1);
    }

    private void resetLines() {
        if (lines.length > FIRST_LINES) {
            lines = new byte[FIRST_LINES];
        }
        buffered = 0;
        lineStart = 0;
    }
}
