package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;

/**
 * Callers of one round: some read their answer, the others leave without it, each in one of the ways in which a client can leave. The HTTP/2
 * requests that leave in the same way share a connection.
 */
final class WaitCallers {
    private static final int CANCELLED = 0;
    private static final int CUT = 1;
    private static final int HEARD = 2;

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI daemon;
    private final String token;
    private final List<Socket> leaving = new ArrayList<>();
    private final List<CompletableFuture<HttpResponse<String>>> staying = new ArrayList<>();
    private final List<EventReader> readers = new ArrayList<>();
    private final List<RawHttp2> shared = new ArrayList<>();
    private final int[] streams = new int[3];

    WaitCallers(URI daemon, String token) {
        this.daemon = daemon;
        this.token = token;
    }

    /** Opens a connection for each way to leave, and five readers of the event stream. */
    void begin() throws IOException {
        for (int i = 0; i < streams.length; i++) {
            shared.add(new RawHttp2(Dial.socket(daemon)));
            streams[i] = 0;
        }
        for (int i = 0; i < 5; i++) {
            readers.add(EventReader.open(daemon, token, null));
        }
    }

    /** Calls over HTTP/1.1 and will read the answer. */
    void stay(String body) {
        staying.add(http.sendAsync(
                Dial.post(daemon, token, body)
                        .version(HttpClient.Version.HTTP_1_1)
                        .timeout(Duration.ofSeconds(100))
                        .build(),
                HttpResponse.BodyHandlers.ofString()));
    }

    /** Calls over HTTP/1.1 and will close the connection. */
    void leave(String body) throws IOException {
        Socket socket = Dial.socket(daemon);
        String head = "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
        socket.getOutputStream().write((head + body).getBytes(StandardCharsets.ISO_8859_1));
        leaving.add(socket);
    }

    /** Calls on an HTTP/2 stream and will read the answer. */
    void stayOnStream(String body) throws IOException {
        ask(HEARD, body);
    }

    /** Calls on an HTTP/2 stream and will reset the stream, or close the connection with all its streams. */
    void leaveStream(String body, boolean byReset) throws IOException {
        ask(byReset ? CANCELLED : CUT, body);
    }

    private void ask(int connection, String body) throws IOException {
        shared.get(connection).post(stream(streams[connection]++), token, body);
    }

    private static int stream(int number) {
        return 2 * number + 1;
    }

    /** Lets the leaving callers leave. */
    void go() throws IOException {
        for (Socket socket : leaving) {
            socket.close();
        }
        for (EventReader reader : readers) {
            reader.close();
        }
        for (int i = 0; i < streams[CANCELLED]; i++) {
            shared.get(CANCELLED).reset(stream(i));
        }
        shared.get(CUT).close();
        leaving.clear();
        readers.clear();
    }

    /** Waits for the answers of the remaining callers. */
    void hear() throws Exception {
        for (CompletableFuture<HttpResponse<String>> call : staying) {
            assertThat(Await.outcome(call).statusCode()).isEqualTo(200);
        }
        int answered = 0;
        while (answered < streams[HEARD]) {
            RawHttp2.Frame frame = shared.get(HEARD).read();
            boolean answer = frame.type() == RawHttp2.DATA || frame.type() == RawHttp2.HEADERS;
            if (frame.stream() != 0) {
                assertThat(answer)
                        .as("%s on stream %s", frame.type(), frame.stream())
                        .isTrue();
            }
            if (answer && (frame.flags() & RawHttp2.END_STREAM) != 0) {
                answered++;
            }
        }
        for (RawHttp2 connection : shared) {
            connection.close();
        }
        staying.clear();
        shared.clear();
    }
}
