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
 * What an idle connection over TLS weighs, against what it is counted as. It is weighed in a process of its own: what other tests have left
 * behind would go meanwhile.
 */
@Tag("long")
@Timeout(120)
class TlsWeightTest {
    /** Bytes that come and go by themselves. */
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

    /** Says last how many bytes each connection weighs. */
    static final class Weighing {
        private static final int CONNECTIONS = 64;
        private static final HttpLimits PATIENT = ServerFixture.limits(
                Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10));

        private Weighing() {}

        /** @param words the folder for the certificate */
        public static void main(String[] words) throws Exception {
            Path folder = Path.of(words[0]);
            TlsIdentity identity = TlsIdentity.open(folder, "chain-walletd", List.of(), line -> {});
            List<Socket> idle = new ArrayList<>();
            try (ServerFixture fixture = new ServerFixture(folder, PATIENT, List.of(), Optional.of(identity))) {
                SSLContext any = TlsServerTest.trusting(folder);
                // What is loaded and made once is none of theirs.
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

    /** A connection that has had an answer. Nothing is kept of the client's side of it but the socket beneath. */
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
     * What is live when nothing goes any more. What a handshake has left behind goes within a second, and makes a connection almost twice as
     * heavy until then: what one is counted as has room for it.
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
