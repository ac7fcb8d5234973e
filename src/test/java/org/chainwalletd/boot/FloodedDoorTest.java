package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Flood;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client that sends as much as it may and reads nothing neither ends the process nor keeps clients at other addresses from their answers.
 * {@code -Dbench=door} does the same with 2,000 connections to the packaged daemon, and measures.
 */
@Tag("long")
@Timeout(180)
class FloodedDoorTest {
    private static final String THEIRS = "127.0.0.2";
    private static final int CONNECTIONS = 50;
    private static final int BUDGET = 24 << 20;
    private static final int CALLS = 3;
    /** Less memory than the daemon reserves for one connection of most kinds; connections that are closing reserve one byte each. */
    private static final int LITTLE = 32 << 10;

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    @BeforeAll
    static void start() {
        daemon = new DaemonRig(
                datadir,
                ScriptedNode.refusing(),
                "--http2",
                "true",
                "--max-held-bytes",
                Integer.toString(BUDGET),
                "--held-percent-per-address",
                "50");
    }

    @ParameterizedTest
    // That kind requires a daemon with TLS.
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TLS_SLOW")
    void a_client_at_another_address_is_always_answered(Flood.Kind kind) throws Exception {
        InetSocketAddress address =
                new InetSocketAddress("127.0.0.1", daemon.uri().getPort());
        try (Flood flood = new Flood(address, THEIRS, CONNECTIONS, kind, daemon.token())) {
            Await.until("they have come", () -> flood.opened() >= CONNECTIONS);
            for (int i = 0; i < CALLS; i++) {
                assertThat(daemon.call("ping").path("ok").asBoolean()).isTrue();
                // Over a separate connection.
                assertThat(daemon.client(daemon.token())
                                .call("ping", Map.of())
                                .path("ok")
                                .asBoolean())
                        .isTrue();
            }
            assertThat(daemon.metric("walletd_http_held_bytes"))
                    .as("of the address")
                    .isLessThanOrEqualTo(BUDGET);
        }
        Await.until("what they held is given back", () -> daemon.metric("walletd_http_held_bytes") < LITTLE);
    }
}
