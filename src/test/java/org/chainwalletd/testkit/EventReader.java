package org.chainwalletd.testkit;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads {@code GET /events} over a plain socket. A read fails after 30 s without data, or if it receives only two heartbeats. */
public final class EventReader implements Closeable {
    /** @param id empty when the event has none */
    public record Event(Optional<String> id, String kind, String data) {}

    private static final int HEARTBEATS = 2;

    private final Socket socket;
    private final BufferedReader in;
    private final int status;

    private EventReader(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        this.status = Integer.parseInt(in.readLine().split(" ")[1]);
        for (String line = in.readLine(); !line.isEmpty(); ) {
            line = in.readLine();
        }
    }

    /**
     * Sends the request and reads the head of the answer.
     *
     * @param token null to send none
     * @param lastEventId null to send none
     */
    public static EventReader open(URI daemon, String token, String lastEventId) throws IOException {
        Socket socket = Dial.socket(daemon);
        String request = "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + (lastEventId == null ? "" : "Last-Event-ID: " + lastEventId + "\r\n") + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return new EventReader(socket);
    }

    public int status() {
        return status;
    }

    /** Returns the next event of any kind; empty at the regular end of the stream. */
    public Optional<Event> next() throws IOException {
        Optional<String> id = Optional.empty();
        String kind = null;
        int silences = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id: ")) {
                id = Optional.of(line.substring(4));
            } else if (line.startsWith("event: ")) {
                kind = line.substring(7);
            } else if (line.startsWith("data: ")) {
                return Optional.of(new Event(id, kind, line.substring(6)));
            } else if (line.equals(":") && ++silences > HEARTBEATS) {
                throw new IOException("nothing but heartbeats");
            } else if (line.equals("0")) {
                // This was the last chunk.
                return Optional.empty();
            }
        }
        throw new IOException("cut off");
    }

    /** Returns the next event of a kind. */
    public Event next(String kind) throws IOException {
        for (Optional<Event> event = next(); event.isPresent(); event = next()) {
            if (event.get().kind().equals(kind)) {
                return event.get();
            }
        }
        throw new IOException("the stream has ended");
    }

    /** Closes the connection as a client that ends does: the daemon notices it at its next write. */
    public void hangUp() throws IOException {
        socket.close();
    }

    /** Closes the connection with a reset, which the daemon notices immediately. */
    @Override
    public void close() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
