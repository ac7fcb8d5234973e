package org.chainwalletd.devnet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A push stream read block by block. */
final class EventStream implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    EventStream(URI node, String query) {
        try {
            socket = NodeCall.connect(node);
            socket.getOutputStream()
                    .write(("GET /sse" + query + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            in = socket.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A stream whose head and first event are read. */
    static EventStream begun(URI node, String query) {
        EventStream stream = new EventStream(node, query);
        stream.head();
        stream.next();
        return stream;
    }

    /** Everything up to and with the next {@code end}; what there was when the stream ended before. */
    String upTo(String end) {
        StringBuilder text = new StringBuilder();
        try {
            while (text.length() < end.length() || text.indexOf(end, text.length() - end.length()) < 0) {
                int next = in.read();
                if (next < 0) {
                    return text.toString();
                }
                text.append((char) next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** The head of the answer. */
    String head() {
        return upTo("\r\n\r\n");
    }

    /** The next event or comment, without its final empty line. */
    String next() {
        String block = upTo("\n\n");
        return block.endsWith("\n\n") ? block.substring(0, block.length() - 2) : block;
    }

    /** The rest of the stream, which must end by itself. */
    String rest() {
        return upTo("\u0000 never");
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
