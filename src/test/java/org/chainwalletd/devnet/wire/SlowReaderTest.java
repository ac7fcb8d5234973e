package org.chainwalletd.devnet.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.Test;

class SlowReaderTest {
    private static final Address SCRIPT = Address.parse("77".repeat(32));
    private static final int STALLED_BYTES = 32 << 20;
    private static final int EVENT_BYTES = 110;

    @Test
    void a_reader_that_lags_loses_events_and_is_told_so() throws Exception {
        try (NodeServer server = new NodeServer(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        InstantSource.system(),
                        (peer, body) -> {
                            throw new AssertionError("no call expected");
                        });
                Socket socket = Dial.unconnected()) {
            server.start();
            socket.connect(server.address());
            socket.getOutputStream()
                    .write(("GET /sse?tips=1&addresses=" + SCRIPT + " HTTP/1.1\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            assertThat(lines.readLine()).isEqualTo("HTTP/1.1 200 OK");

            int batch = 10_000;
            for (int sent = 0; sent < STALLED_BYTES / EVENT_BYTES; sent += batch) {
                server.publish(Collections.nCopies(batch, SCRIPT), null);
            }
            assertThat(eventsUntilResync(server, lines))
                    .as("events received of those sent")
                    .isBetween(PushHub.BUFFER_EVENTS, STALLED_BYTES / EVENT_BYTES);
            assertThat(lines.readLine()).isEqualTo("data: {}");
            assertThat(lines.readLine()).isEmpty();
            assertThat(lines.readLine()).startsWith("event: ");
        }
    }

    /** Continues to read, with occasional other events on the chain. */
    private static int eventsUntilResync(NodeServer server, BufferedReader lines) throws Exception {
        int events = 0;
        for (String line = lines.readLine(); ; line = lines.readLine()) {
            if (line.equals("event: resync")) {
                return events;
            }
            if (line.startsWith("event: script_changed") && ++events % 500 == 0) {
                server.publish(List.of(), (long) events);
            }
        }
    }
}
