package org.chainwalletd.net;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Puts one HTTP/1.1 answer together from the pieces in which it arrives (RFC 9112): by Content-Length, chunked, or until the connection
 * ends. Holds never more than the caps allow, whatever the peer announces, and counts what it holds. Not thread-safe.
 */
final class HttpAnswerReader {
    /** Longest status line plus headers that is read. */
    static final int MAX_HEAD_BYTES = 64 * 1024;

    private static final int MAX_CHUNK_LINE = 256;
    /** So long a body is never counted: the number of connections bounds such ones. */
    static final int FREE_BODY_BYTES = 16 * 1024;

    /** So much is taken on the word of a Content-Length. */
    private static final int BELIEVED_BODY_BYTES = 512 * 1024;

    private static final Pattern LINE_END = Pattern.compile("\r?\n");
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,15}");

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

    /** The peer does not speak HTTP or answers too much, or what other answers hold leaves no room for this one. */
    static final class MalformedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    private final int maxBody;
    private final ByteBudget.Share share;
    private Part part = Part.HEAD;
    private byte[] line = new byte[1024];
    private int lineLength;
    private int status;
    private long missing;
    private byte[] body = {};
    private int bodyLength;

    HttpAnswerReader(ExchangeLimits limits) {
        this.maxBody = limits.answerBytes();
        this.share = limits.budget().share();
    }

    /**
     * Takes the next piece: the first {@code length} bytes of {@code piece}, which are copied.
     *
     * @return whether the answer is complete now
     * @throws MalformedException when it can never become one
     */
    boolean accept(byte[] piece, int length) {
        int at = 0;
        while (at < length && part != Part.COMPLETE) {
            at = switch (part) {
                case HEAD -> head(piece, at, length);
                case BODY_OF_KNOWN_LENGTH, CHUNK -> counted(piece, at, length);
                case BODY_UNTIL_END -> uncounted(piece, at, length);
                case CHUNK_SIZE, CHUNK_END, TRAILER -> chunkLine(piece, at, length);
                case COMPLETE -> length;
            };
        }
        return part == Part.COMPLETE;
    }

    /**
     * The connection ended.
     *
     * @return whether the answer is complete
     */
    boolean end() {
        if (part == Part.BODY_UNTIL_END) {
            part = Part.COMPLETE;
        }
        return part == Part.COMPLETE;
    }

    /** Whether nothing at all has arrived. */
    boolean isEmpty() {
        return part == Part.HEAD && lineLength == 0;
    }

    HttpAnswer answer() {
        if (part != Part.COMPLETE) {
            throw new IllegalStateException("the answer is not complete");
        }
        if (body.length != bodyLength) {
            resize(bodyLength);
        }
        return new HttpAnswer(status, body, share);
    }

    /** Gives up what has been read. */
    void drop() {
        share.close();
        body = new byte[0];
    }

    private int head(byte[] piece, int from, int to) {
        for (int at = from; at < to; at++) {
            hold(piece[at], MAX_HEAD_BYTES, "headers");
            if (piece[at] == '\n' && endsHead()) {
                String text = new String(line, 0, lineLength, StandardCharsets.ISO_8859_1);
                lineLength = 0;
                readHead(LINE_END.split(text));
                return at + 1;
            }
        }
        return to;
    }

    private boolean endsHead() {
        return lineLength >= 2
                && (line[lineLength - 2] == '\n'
                        || lineLength >= 3 && line[lineLength - 2] == '\r' && line[lineLength - 3] == '\n');
    }

    private void readHead(String[] lines) {
        readStatus(lines.length == 0 ? "" : lines[0]);
        if (status >= 100 && status < 200) {
            return;
        }
        long contentLength = -1;
        boolean chunked = false;
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon <= 0) {
                throw new MalformedException("a header line without a colon");
            }
            String name = lines[i].substring(0, colon).trim().toLowerCase(Locale.ROOT);
            String value = lines[i].substring(colon + 1).trim();
            if (name.equals("content-length")) {
                contentLength = contentLength(value, contentLength);
            } else if (name.equals("transfer-encoding")) {
                if (!value.equalsIgnoreCase("chunked") || chunked) {
                    throw new MalformedException("an unknown transfer coding");
                }
                chunked = true;
            }
        }
        beginBody(contentLength, chunked);
    }

    private void readStatus(String line) {
        if (!STATUS_LINE.matcher(line).matches()) {
            throw new MalformedException("no HTTP status line");
        }
        status = Integer.parseInt(line.substring(9, 12));
    }

    private static long contentLength(String value, long earlier) {
        if (!LENGTH.matcher(value).matches()) {
            throw new MalformedException("an unreadable Content-Length");
        }
        long length = Long.parseLong(value);
        if (earlier >= 0 && earlier != length) {
            throw new MalformedException("two different Content-Length headers");
        }
        return length;
    }

    private void beginBody(long contentLength, boolean chunked) {
        if (status == 204 || status == 304) {
            part = Part.COMPLETE;
        } else if (chunked) {
            part = Part.CHUNK_SIZE;
        } else if (contentLength >= 0) {
            checkCap(contentLength);
            missing = contentLength;
            resize((int) Math.min(contentLength, BELIEVED_BODY_BYTES));
            part = contentLength == 0 ? Part.COMPLETE : Part.BODY_OF_KNOWN_LENGTH;
        } else {
            part = Part.BODY_UNTIL_END;
        }
    }

    private int counted(byte[] piece, int from, int to) {
        int count = (int) Math.min(missing, to - from);
        append(piece, from, count, part == Part.CHUNK ? 0 : bodyLength + missing);
        missing -= count;
        if (missing == 0) {
            part = part == Part.CHUNK ? Part.CHUNK_END : Part.COMPLETE;
        }
        return from + count;
    }

    private int uncounted(byte[] piece, int from, int to) {
        checkCap((long) bodyLength + to - from);
        append(piece, from, to - from, 0);
        return to;
    }

    private int chunkLine(byte[] piece, int from, int to) {
        for (int at = from; at < to; at++) {
            if (piece[at] == '\n') {
                String text = new String(line, 0, lineLength, StandardCharsets.ISO_8859_1).trim();
                lineLength = 0;
                endChunkLine(text);
                return at + 1;
            }
            hold(piece[at], MAX_CHUNK_LINE, "chunk line");
        }
        return to;
    }

    private void endChunkLine(String line) {
        switch (part) {
            case CHUNK_SIZE -> beginChunk(line);
            case CHUNK_END -> {
                if (!line.isEmpty()) {
                    throw new MalformedException("a chunk that is longer than announced");
                }
                part = Part.CHUNK_SIZE;
            }
            default -> {
                if (line.isEmpty()) {
                    part = Part.COMPLETE;
                }
            }
        }
    }

    private void beginChunk(String line) {
        String size = line.contains(";") ? line.substring(0, line.indexOf(';')).trim() : line;
        if (!CHUNK_SIZE.matcher(size).matches()) {
            throw new MalformedException("an unreadable chunk size");
        }
        missing = Long.parseLong(size, 16);
        checkCap(bodyLength + missing);
        part = missing == 0 ? Part.TRAILER : Part.CHUNK;
    }

    private void checkCap(long length) {
        if (length > maxBody) {
            throw new MalformedException("the answer is longer than " + maxBody + " bytes");
        }
    }

    private void append(byte[] piece, int from, int count, long expected) {
        int needed = bodyLength + count;
        if (needed > body.length) {
            long grown = Math.max(needed, Math.min(2L * body.length, expected > 0 ? expected : maxBody));
            resize((int) Math.min(Math.max(grown, FREE_BODY_BYTES), Math.max(maxBody, needed)));
        }
        System.arraycopy(piece, from, body, bodyLength, count);
        bodyLength = needed;
    }

    /** While it is copied the body is there twice, and counts so. */
    private void resize(int length) {
        if (length > FREE_BODY_BYTES && !share.tryGrow(length)) {
            throw new MalformedException("no room for an answer of " + length + " bytes beside the others");
        }
        int before = body.length;
        body = Arrays.copyOf(body, length);
        if (before > FREE_BODY_BYTES) {
            share.shrink(before);
        }
    }

    private void hold(byte value, int cap, String what) {
        if (lineLength == cap) {
            throw new MalformedException(what + " longer than " + cap + " bytes");
        }
        if (lineLength == line.length) {
            line = Arrays.copyOf(line, 2 * line.length);
        }
        line[lineLength++] = value;
    }
}
