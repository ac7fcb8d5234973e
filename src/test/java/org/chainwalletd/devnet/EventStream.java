package org.chainwalletd.devnet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Push stream that is read block by block. */
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

    /** Opens a stream and reads its head and first event. */
    static EventStream begun(URI node, String query) {
        EventStream stream = new EventStream(node, query);
        stream.head();
        stream.next();
        return stream;
    }

    /** Reads up to and including the next {@code end}, or to the end of the stream if that comes first. */
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

    /** Returns the head of the answer. */
    String head() {
        return upTo("\r\n\r\n");
    }

    /** Reads the next event or comment, without its final empty line. */
    String next() {
        String block = upTo("\n\n");
        return block.endsWith("\n\n") ? block.substring(0, block.length() - 2) : block;
    }

    /** Reads the rest of the stream, which must end without being closed here. */
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
