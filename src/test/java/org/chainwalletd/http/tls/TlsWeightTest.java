package org.chainwalletd.http.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Memory of an idle TLS connection compared with its accounted size. Measured in a separate process, because garbage of other tests would be
 * collected meanwhile.
 */
@Tag("long")
@Timeout(120)
class TlsWeightTest {
    /** Fluctuation of the measurement in bytes. */
    private static final long NOISE = 16 << 10;

    private static final int LOOKS = 20;

    @TempDir
    Path datadir;

    @Test
    void idle_connections_weigh_no_more_than_they_are_counted_as_and_more_than_half_of_it() throws Exception {
        Process process = ChildJvm.of(List.of(), Weighing.class, datadir)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said;
        try (BufferedReader lines = Await.reader(process)) {
            said = lines.lines().reduce("", (before, last) -> last);
        } finally {
            Await.result(process.destroyForcibly().onExit());
        }

        assertThat(said).matches("\\d+");
        assertThat(Long.parseLong(said))
                .isGreaterThan(TlsLayers.CONNECTION_BYTES / 2)
                .isLessThanOrEqualTo(TlsLayers.CONNECTION_BYTES);
    }

    /** Prints at the end the bytes used by each connection. */
    static final class Weighing {
        private static final int CONNECTIONS = 64;
        private static final HttpLimits PATIENT = ServerFixture.limits(
                Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10));

        private Weighing() {}

        /** @param words folder for the certificate */
        public static void main(String[] words) throws Exception {
            Path folder = Path.of(words[0]);
            TlsIdentity identity = TlsIdentity.open(folder, "chain-walletd", List.of(), line -> {});
            List<Socket> idle = new ArrayList<>();
            try (ServerFixture fixture = new ServerFixture(folder, PATIENT, List.of(), Optional.of(identity))) {
                SSLContext any = TlsServerTest.trusting(folder);
                // Excludes everything that is loaded and created only once.
                asked(any, fixture).close();
                Await.until("it is gone", () -> fixture.server.connections() == 0);
                long before = settled();
                for (int i = 0; i < CONNECTIONS; i++) {
                    idle.add(asked(any, fixture));
                }
                Await.until(
                        "they weigh no more than they are counted as",
                        () -> live() - before <= CONNECTIONS * (long) TlsLayers.CONNECTION_BYTES);
                long after = settled();
                assertThat(fixture.server.connections()).isEqualTo(CONNECTIONS);
                System.out.println((after - before) / CONNECTIONS);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
            System.exit(0);
        }
    }

    /** Opens a connection that has received an answer. Of the client's side, only the underlying socket is kept. */
    private static Socket asked(SSLContext any, ServerFixture fixture) throws IOException {
        int port = fixture.server.address().getPort();
        Socket socket = Dial.socket("127.0.0.1", port);
        SSLSocket tls = (SSLSocket) any.getSocketFactory().createSocket(socket, "localhost", port, false);
        tls.getOutputStream()
                .write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(tls.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                .isEqualTo("HTTP/1.1 200");
        return socket;
    }

    /**
     * Returns the live memory once it no longer decreases. The remains of a handshake are collected within a second, and until then make a
     * connection almost twice as large; the accounted size includes them.
     */
    private static long settled() {
        AtomicLong least = new AtomicLong(Long.MAX_VALUE);
        AtomicInteger noLess = new AtomicInteger();
        Await.until("nothing goes any more", () -> {
            long now = live();
            boolean less = now < least.get() - NOISE;
            least.set(Math.min(now, least.get()));
            return (less ? noLess.updateAndGet(count -> 0) : noLess.incrementAndGet()) == LOOKS;
        });
        return least.get();
    }

    private static long live() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
