package org.chainwalletd.http;

import org.apache.pekko.util.ByteString;

/**
 * Tells where in the bytes of an HTTP/1 connection a request ends (RFC 9112, sections 2.1, 6 and 7.1), so that the parser above is given
 * one at a time. It only cuts, and refuses nothing: what it does not understand it lets through for the parser to refuse.
 */
final class RequestFraming {
    private enum Part {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        TRAILER,
        /** No HTTP that a parser would accept: everything that comes is one part. */
        LOST
    }

    /** As long as the longest name that matters, with a digit or two. */
    private static final int WORD = 20;

    private static final String LENGTH = "content-length";
    private static final String CODING = "transfer-encoding";
    private static final long MOST_DIGITS = 18;
    private static final int MOST_HEX_DIGITS = 8;
    private static final int LAST_THREE = 0xffffff;
    private static final int ONE_DOT_ZERO = '1' << 16 | '.' << 8 | '0';

    private Part part = Part.HEAD;
    /** Bytes of the present line, its end left out. */
    private int lineLength;

    private final StringBuilder word = new StringBuilder(WORD);
    /** Whether the name of the present field is complete. */
    private boolean inValue;

    /** Whether the present field announces the body's length. */
    private boolean announcing;

    private boolean requestLine = true;
    /** The last three characters of the request line. */
    private int version;

    private boolean faulty;
    private boolean chunked;
    private long announced;
    private long number;
    private int digits;
    /** Of the body or the present chunk. */
    private long left;

    private boolean ended;
    /** Of the present request, the empty lines before it included. */
    private long headLength;

    /**
     * Reads on from where it stopped, at most to the end of the present request.
     *
     * @return how many of {@code bytes} were read
     */
    int read(ByteString bytes) {
        int end = bytes.length();
        int at = 0;
        headLength = part == Part.HEAD && ended ? 0 : headLength;
        ended = false;
        while (at < end && !ended) {
            switch (part) {
                case BODY, CHUNK -> {
                    int skipped = (int) Math.min(left, end - at);
                    left -= skipped;
                    at += skipped;
                    if (left == 0) {
                        bodyEnded();
                    }
                }
                case LOST -> at = end;
                case HEAD -> {
                    int next = line(bytes, at, end);
                    headLength += next - at;
                    at = next;
                }
                default -> at = line(bytes, at, end);
            }
        }
        return at;
    }

    /** Whether the last byte that was read is the last of a request. */
    boolean ended() {
        return ended;
    }

    /** Whether the present request has a transfer coding, which its version of HTTP does not know (RFC 9112, section 6.1). */
    boolean faulty() {
        return faulty;
    }

    /** Bytes of the present request's head so far; of the last one's until the next begins. */
    long headLength() {
        return headLength;
    }

    private void bodyEnded() {
        if (part == Part.BODY) {
            requestEnded();
        } else {
            part = Part.CHUNK_SIZE;
        }
    }

    private void requestEnded() {
        ended = true;
        part = Part.HEAD;
        chunked = false;
        announced = 0;
        requestLine = true;
        lineBegins();
    }

    private void lineBegins() {
        lineLength = 0;
        word.setLength(0);
        inValue = false;
        announcing = false;
        number = 0;
        digits = 0;
    }

    /** Most of a head is values that do not matter here. */
    private int line(ByteString bytes, int at, int end) {
        if (!inValue || announcing) {
            octet(bytes.apply(at));
            return at + 1;
        }
        int next = bytes.indexOf((byte) '\n', at);
        int until = next < 0 ? end : next;
        lineLength += until - at;
        if (next >= 0) {
            octet((byte) '\n');
        }
        return next < 0 ? end : next + 1;
    }

    private void octet(byte octet) {
        if (octet == '\n') {
            lineEnded();
        } else if (octet != '\r') {
            lineLength++;
            switch (part) {
                case HEAD -> inHead((char) (octet & 0xff));
                case CHUNK_SIZE -> inChunkSize(octet);
                default -> {
                    // Fields of a trailer are the parser's.
                }
            }
        }
    }

    private void inHead(char c) {
        if (requestLine) {
            version = (version << 8 | c) & LAST_THREE;
        } else if (inValue) {
            if (announcing && c >= '0' && c <= '9') {
                digits++;
                number = digits > MOST_DIGITS ? number : number * 10 + c - '0';
            }
        } else if (c == ':') {
            inValue = true;
            announcing = LENGTH.contentEquals(word);
            chunked |= CODING.contentEquals(word);
        } else if (word.length() < WORD) {
            word.append(Character.toLowerCase(c));
        }
    }

    private void inChunkSize(byte octet) {
        int digit = Character.digit(octet, 16);
        if (inValue || digit < 0) {
            inValue = true;
        } else {
            digits++;
            number = number << 4 | digit;
            part = digits > MOST_HEX_DIGITS ? Part.LOST : part;
        }
    }

    private void lineEnded() {
        switch (part) {
            case HEAD -> headLineEnded();
            case CHUNK_SIZE -> chunkSizeEnded();
            default -> {
                if (lineLength == 0) {
                    requestEnded();
                }
            }
        }
        lineBegins();
    }

    private void headLineEnded() {
        if (announcing) {
            announced = digits > MOST_DIGITS ? Long.MAX_VALUE : number;
        }
        if (lineLength > 0 || requestLine) {
            requestLine &= lineLength == 0;
            return;
        }
        faulty |= chunked && version == ONE_DOT_ZERO;
        if (chunked) {
            part = Part.CHUNK_SIZE;
        } else if (announced > 0) {
            part = Part.BODY;
            left = announced;
        } else {
            requestEnded();
        }
    }

    /** The empty line after a chunk's bytes announces nothing. */
    private void chunkSizeEnded() {
        if (digits == 0) {
            part = lineLength == 0 ? part : Part.LOST;
        } else if (number == 0) {
            part = Part.TRAILER;
        } else {
            part = Part.CHUNK;
            left = number;
        }
    }
}
