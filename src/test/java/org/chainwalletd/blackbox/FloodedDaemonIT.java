package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.Flood;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nothing that clients send ends the packaged daemon or makes it exceed its heap: short versions of the floods of {@code -Dbench=door}, one after
 * the other, with the launcher's options. Only the benchmark measures times.
 */
@Tag("long")
@Timeout(600)
class FloodedDaemonIT {
    private static final String THEIRS = "127.0.0.2";
    private static final int CONNECTIONS = 200;
    private static final int HEAP_MIB = 256;
    /** Memory for classes, compiled code, stacks, and buffers outside of the heap. */
    private static final int BESIDE_HEAP_MIB = 300;
    /** Less than the daemon buffers for one connection of most kinds; connections that are being closed count one byte each. */
    private static final int LITTLE = 32 << 10;

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonProcess daemon;

    @BeforeAll
    static void start() {
        daemon = LauncherCall.daemon(datadir)
                .node(URI.create("http://127.0.0.1:1"))
                .and("--http2")
                .with("WALLETD_HEAP", HEAP_MIB + "m")
                .start();
    }

    @ParameterizedTest
    // The daemon does not use TLS.
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TLS_SLOW")
    void a_flood_neither_ends_the_process_nor_makes_it_grow(Flood.Kind kind) throws Exception {
        try (Flood flood = new Flood(address(), THEIRS, CONNECTIONS, kind, daemon.token("read"))) {
            Await.until("they have come", () -> flood.opened() >= CONNECTIONS);
            assertServes();
            assertThat(held()).isLessThanOrEqualTo(daemon.metric("walletd_http_held_limit_bytes"));
        }
        Await.until("what they held is given back", () -> held() < LITTLE);
        assertServes();
    }

    /**
     * Each of these requests, 16 KB without a token, used to end the process: the daemon ended the body at another place than the parser, which
     * then recursed.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: \"chunked\"\r\nContent-Length: 0\r\n\r\n",
                "Transfer-Encoding:\r\nContent-Length: 0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n0000000000\r\n\r\n",
                "Content-Length: 0000000000000000000000\r\n\r\n",
                "X: \u00e2\r\n\r\n"
            })
    void requests_that_are_hidden_in_a_body_do_not_end_the_process(String fields) throws Exception {
        String hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(450);
        try (Socket socket = Dial.socket(address())) {
            socket.getOutputStream()
                    .write(("POST / HTTP/1.1\r\nHost: x\r\n" + fields + hidden).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .startsWith("HTTP/1.1 4");
        }
        assertServes();
    }

    private static InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", daemon.awaitReady().getPort());
    }

    private static void assertServes() throws IOException {
        assertThat(daemon.isAlive()).isTrue();
        assertThat(daemon.call("ping", Map.of()).path("ok").asBoolean()).isTrue();
        // Uses a new connection.
        assertThat(daemon.clientWith(daemon.token("read"))
                        .call("ping", Map.of())
                        .path("ok")
                        .asBoolean())
                .isTrue();
        assertThat(mostResidentMib()).isLessThan(HEAP_MIB + BESIDE_HEAP_MIB);
    }

    private static double held() {
        return daemon.metric("walletd_http_held_bytes");
    }

    /** Returns the peak resident set size, see proc(5). */
    private static long mostResidentMib() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(daemon.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }
}
