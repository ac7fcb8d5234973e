package org.chainwalletd.http.h1;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.pekko.util.ByteString;

/**
 * Parses the HTTP/1 requests of a connection by the grammar of RFC 9112 and rewrites each for Pekko's parser, which accepts more than that
 * grammar and recurses over the contents of one piece. So this class alone decides where a request ends: the parser above gets one request at a
 * time, at most one chunk per piece, and a body exactly as long as the rewritten head says. Input that the grammar leaves open, or that two
 * parsers could interpret differently, is a fault.
 *
 * <p>A head is passed on as a whole. A chunked body is rechunked: the client's chunks, their extensions (a fault) and the trailer (read and
 * dropped) never reach the parser.
 */
public final class RequestFraming {
    /** Reasons to stop reading from a connection. */
    enum Fault {
        /** The head is no HTTP. */
        MALFORMED,
        /** The version is neither 1.0 nor 1.1. */
        VERSION,
        /** The head is longer than allowed. */
        HEAD_TOO_LONG,
        /** The target is longer, or its path deeper, than any the daemon serves. */
        TARGET_TOO_LONG,
        /** The {@code Expect} field has a value other than {@code 100-continue}. */
        EXPECTATION,
        /** The chunks of a body, or their trailer, are malformed; the head has already been passed on. */
        BODY
    }

    private enum Part {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER
    }

    private static final byte[] NOTHING = {};
    private static final int LONGEST_TARGET = 2048;
    /** Pekko's model of a path is a linked list, and several of its methods recurse over it. */
    private static final int DEEPEST_PATH = 64;

    private static final int MOST_DIGITS = 18;
    private static final int MOST_HEX_DIGITS = 8;
    private static final String LINE_END = "\r\n";
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final BitSet TOKEN = new BitSet();

    static {
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                .chars()
                .forEach(TOKEN::set);
    }

    private final int maxHeadBytes;
    private byte[] input = NOTHING;
    /** Head passed to the parser, with the part of its body that was in the same piece. */
    private byte[] handedOn = NOTHING;
    /** Number of input bytes already read. */
    private int at;

    private Optional<Fault> fault = Optional.empty();
    private Part part = Part.HEAD;
    private boolean ended;

    /** Part of the current head, chunk-size line or trailer that arrived in earlier pieces. */
    private ByteArrayOutputStream lines = new ByteArrayOutputStream();
    /** Bytes of the current line, without its line end. */
    private int lineLength;
    /** The last byte is a carriage return, so the next one has to be a line feed. */
    private boolean returned;
    /** Length so far of the head, the trailer, or the chunk-size line. */
    private long linesLength;

    /** Remaining bytes of the body or the current chunk. */
    private long left;

    /** @param maxHeadBytes of a head, and of a trailer */
    public RequestFraming(int maxHeadBytes) {
        this.maxHeadBytes = maxHeadBytes;
    }

    /** Adds received bytes; all earlier ones must have been read. */
    public void add(ByteString bytes) {
        input = bytes.toArrayUnsafe();
        at = 0;
    }

    /** Returns the number of received bytes that are not yet read. */
    int unread() {
        return input.length - at;
    }

    /** Drops the unread input, and the input already read: a request may contain a secret, and its connection may stay open. */
    void drop() {
        input = NOTHING;
        at = 0;
    }

    /** Whether the last byte that was read is the last of a request. */
    boolean ended() {
        return ended;
    }

    /** Whether a head has started and is not complete. */
    boolean withinHead() {
        return part == Part.HEAD && linesLength > 0;
    }

    /** Returns the fault after which nothing more is read; everything returned by {@link #read} precedes it. */
    public Optional<Fault> fault() {
        return fault;
    }

    /** Reads on, at most to the end of the current request. Returns the bytes for the parser, empty while no unit is complete. */
    public ByteString read() {
        ByteString read = readOn();
        if (unread() == 0) {
            drop();
        }
        return read;
    }

    /**
     * Overwrites the head that was passed on, with the part of the body in the same piece: Pekko's parser keeps them until the next request, and
     * they contain a token and possibly a secret. Must be called when the request has been answered.
     */
    void overwriteHead() {
        Arrays.fill(handedOn, (byte) 0);
        handedOn = NOTHING;
    }

    private ByteString readOn() {
        ended = false;
        ByteString head = ByteString.emptyByteString();
        ByteArrayOutputStream chunk = new ByteArrayOutputStream(0);
        boolean chunked = part != Part.HEAD && part != Part.BODY;
        while (at < input.length && !ended && fault.isEmpty()) {
            switch (part) {
                case HEAD -> {
                    if (readLines()) {
                        head = head();
                        chunked = part == Part.CHUNK_SIZE;
                    }
                }
                case BODY -> {
                    return body(head);
                }
                case CHUNK -> chunk(chunk);
                default -> {
                    if (readLines()) {
                        linesOfChunk();
                    }
                }
            }
        }
        return chunked ? handOn(head, inOneChunk(chunk)) : handOn(head, ByteString.emptyByteString());
    }

    /** Joins head and body into one compact piece, which the parser reads fastest. */
    private ByteString handOn(ByteString head, ByteString body) {
        if (head.isEmpty()) {
            return body;
        }
        ByteString whole = head.concat(body).compact();
        handedOn = whole.toArrayUnsafe();
        return whole;
    }

    private ByteString body(ByteString head) {
        int length = (int) Math.min(left, input.length - at);
        ByteString bytes = ByteString.fromArrayUnsafe(input, at, length);
        at += length;
        left -= length;
        if (left == 0) {
            requestEnded();
        }
        return handOn(head, bytes);
    }

    private void chunk(ByteArrayOutputStream bytes) {
        int length = (int) Math.min(left, input.length - at);
        bytes.write(input, at, length);
        at += length;
        left -= length;
        part = left == 0 ? Part.CHUNK_END : part;
    }

    private ByteString inOneChunk(ByteArrayOutputStream bytes) {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream(bytes.size() + 16);
        if (bytes.size() > 0) {
            chunk.writeBytes(ascii(Integer.toHexString(bytes.size()) + LINE_END));
            chunk.writeBytes(bytes.toByteArray());
            chunk.writeBytes(ascii(LINE_END));
        }
        if (ended) {
            chunk.writeBytes(LAST_CHUNK);
        }
        return ByteString.fromArrayUnsafe(chunk.toByteArray());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private void requestEnded() {
        ended = true;
        part = Part.HEAD;
        linesEnded();
    }

    private void linesEnded() {
        // Replaced rather than reset: a reset would keep the bytes, which include a token.
        lines = new ByteArrayOutputStream();
        linesLength = 0;
        lineLength = 0;
    }

    /** Reads on to the end of the current head, chunk-size line, chunk end or trailer; returns whether it has arrived. */
    private boolean readLines() {
        int from = at;
        while (at < input.length) {
            byte octet = input[at++];
            if (++linesLength > maxHeadBytes) {
                fail(part == Part.HEAD ? Fault.HEAD_TOO_LONG : Fault.BODY);
                return false;
            }
            if (returned != (octet == '\n') || isControl(octet)) {
                fail(part == Part.HEAD ? Fault.MALFORMED : Fault.BODY);
                return false;
            }
            returned = octet == '\r';
            if (octet == '\n') {
                if (endsLines()) {
                    lines.write(input, from, at - from);
                    return true;
                }
                lineLength = 0;
            } else if (octet != '\r') {
                lineLength++;
            }
        }
        lines.write(input, from, at - from);
        return false;
    }

    /** Control characters other than those of line ends, which {@link #readLines} checks. */
    private static boolean isControl(byte octet) {
        return octet >= 0 && octet < ' ' && octet != '\t' && octet != '\r' && octet != '\n' || octet == 0x7f;
    }

    /** Whether the line that ends now is the last one: there is one only in a chunk's size and after its bytes. */
    private boolean endsLines() {
        return lineLength == 0 || part == Part.CHUNK_SIZE || part == Part.CHUNK_END;
    }

    private void fail(Fault why) {
        fault = Optional.of(why);
    }

    private void linesOfChunk() {
        String text = lines.toString(StandardCharsets.ISO_8859_1);
        linesEnded();
        switch (part) {
            case CHUNK_SIZE -> chunkSize(text.substring(0, text.length() - 2));
            case CHUNK_END -> {
                part = Part.CHUNK_SIZE;
                if (!text.equals(LINE_END)) {
                    fail(Fault.BODY);
                }
            }
            default -> {
                Head trailer = new Head();
                trailer.fields(text, 0);
                if (trailer.fault.isEmpty()) {
                    requestEnded();
                } else {
                    fail(Fault.BODY);
                }
            }
        }
    }

    private void chunkSize(String digits) {
        boolean well = !digits.isEmpty()
                && digits.length() <= MOST_HEX_DIGITS
                && (digits.charAt(0) != '0' || digits.length() == 1)
                && every(digits, c -> c < 0x80 && Character.digit(c, 16) >= 0);
        if (!well) {
            fail(Fault.BODY);
            return;
        }
        left = Long.parseLong(digits, 16);
        part = left == 0 ? Part.TRAILER : Part.CHUNK;
    }

    private ByteString head() {
        Head head = new Head();
        // Each octet becomes one character; written back in the same way.
        String text = head.read(lines.toString(StandardCharsets.ISO_8859_1));
        fault = head.fault;
        linesEnded();
        if (fault.isPresent()) {
            return ByteString.emptyByteString();
        }
        if (head.chunked) {
            part = Part.CHUNK_SIZE;
        } else if (head.length > 0) {
            part = Part.BODY;
            left = head.length;
        } else {
            requestEnded();
        }
        return ByteString.fromArrayUnsafe(ascii(text));
    }

    /** Whether a target is longer, or its path has more segments, than is safe for Pekko's recursive model of paths. */
    public static boolean isTooLong(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        return target.length() > LONGEST_TARGET
                || path.chars().filter(c -> c == '/').count() > DEEPEST_PATH;
    }

    /** @param value of an {@code Expect} field (RFC 9110, section 10.1.1) */
    public static boolean isKnownExpectation(String value) {
        return value.equalsIgnoreCase("100-continue");
    }

    private static boolean every(String text, IntPredicate allowed) {
        for (int i = 0; i < text.length(); i++) {
            if (!allowed.test(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** Lines of one head (RFC 9112, sections 3 and 5) or of a trailer, whose line ends and control characters have been validated. */
    private static final class Head {
        private Optional<Fault> fault = Optional.empty();
        private boolean oldVersion;
        private boolean chunked;
        private boolean measured;
        private boolean expects;
        private long length;
        private StringBuilder anew = new StringBuilder();

        private void fail(Fault why) {
            if (fault.isEmpty()) {
                fault = Optional.of(why);
            }
        }

        /** Returns the head rewritten for the parser; the result is valid only without a fault. */
        public String read(String text) {
            anew = new StringBuilder(text.length() + 32);
            int lineEnd = text.indexOf(LINE_END);
            // An empty line before the request line is refused too, although section 2.2 allows to ignore it.
            requestLine(text.substring(0, lineEnd));
            fields(text, lineEnd + 2);
            if (chunked && (measured || oldVersion)) {
                fail(Fault.MALFORMED);
            }
            if (chunked) {
                anew.append("Transfer-Encoding: chunked\r\n");
            } else if (measured) {
                anew.append("Content-Length: ").append(length).append(LINE_END);
            }
            if (expects && !oldVersion && (chunked || length > 0)) {
                anew.append("Expect: 100-continue\r\n");
            }
            return anew.append(LINE_END).toString();
        }

        private void requestLine(String line) {
            int first = line.indexOf(' ');
            int second = line.indexOf(' ', first + 1);
            if (first < 0 || second < 0) {
                fail(Fault.MALFORMED);
                return;
            }
            String target = line.substring(first + 1, second);
            String version = line.substring(second + 1);
            oldVersion = version.equals("HTTP/1.0");
            boolean known = oldVersion || version.equals("HTTP/1.1");
            boolean visible = !target.isEmpty() && every(target, c -> c > ' ' && c < 0x7f);
            if (!isToken(line.substring(0, first)) || !visible || !known && !version.matches("HTTP/[0-9]\\.[0-9]")) {
                fail(Fault.MALFORMED);
            } else if (!known) {
                fail(Fault.VERSION);
            } else if (isTooLong(target)) {
                fail(Fault.TARGET_TOO_LONG);
            }
            anew.append(line).append(LINE_END);
        }

        /** @param text lines, an empty one last */
        void fields(String text, int from) {
            int at = from;
            for (int end = text.indexOf(LINE_END, at); end > at; end = text.indexOf(LINE_END, at)) {
                field(text.substring(at, end));
                at = end + 2;
            }
        }

        private void field(String line) {
            int colon = line.indexOf(':');
            // A continuation line (obs-fold) begins with white space, which no field name contains, so it is refused
            // here.
            if (colon < 0 || !isToken(line.substring(0, colon))) {
                fail(Fault.MALFORMED);
                return;
            }
            String name = line.substring(0, colon);
            String value = withoutSpaceAround(line, colon + 1);
            if (!isUtf8(value)) {
                fail(Fault.MALFORMED);
            }
            switch (name.toLowerCase(Locale.ROOT)) {
                case "content-length" -> contentLength(value);
                case "transfer-encoding" -> transferEncoding(value);
                case "expect" -> expectation(value);
                // The daemon supports no upgrade from HTTP/1, so the field is dropped.
                case "upgrade" -> {}
                default -> anew.append(name).append(": ").append(value).append(LINE_END);
            }
        }

        private void contentLength(String digits) {
            boolean well = !digits.isEmpty()
                    && digits.length() <= MOST_DIGITS
                    && (digits.charAt(0) != '0' || digits.length() == 1)
                    && every(digits, c -> c >= '0' && c <= '9');
            if (!well || measured) {
                fail(Fault.MALFORMED);
                return;
            }
            measured = true;
            length = Long.parseLong(digits);
        }

        private void transferEncoding(String coding) {
            if (chunked || !coding.equalsIgnoreCase("chunked")) {
                fail(Fault.MALFORMED);
            }
            chunked = true;
        }

        private void expectation(String value) {
            if (expects || !isKnownExpectation(value)) {
                fail(Fault.EXPECTATION);
            }
            expects = true;
        }

        private static boolean isToken(String text) {
            return !text.isEmpty() && every(text, TOKEN::get);
        }

        private static String withoutSpaceAround(String line, int from) {
            int begin = from;
            int end = line.length();
            while (begin < end && isSpace(line.charAt(begin))) {
                begin++;
            }
            while (end > begin && isSpace(line.charAt(end - 1))) {
                end--;
            }
            return line.substring(begin, end);
        }

        private static boolean isSpace(char c) {
            return c == ' ' || c == '\t';
        }

        /** Parsers, Pekko's among them, may read past the end of a line within a truncated character. */
        private static boolean isUtf8(String octets) {
            if (every(octets, c -> c < 0x80)) {
                return true;
            }
            try {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(ascii(octets)));
                return true;
            } catch (CharacterCodingException e) {
                return false;
            }
        }
    }
}
