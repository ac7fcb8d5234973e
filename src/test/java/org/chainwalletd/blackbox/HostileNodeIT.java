package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that answers every request with thousands of interim responses must not end the process at its start. */
@Tag("long")
class HostileNodeIT {
    @TempDir
    Path folder;

    @Test
    void a_daemon_whose_node_sends_thousands_of_interim_responses_lives_and_serves() {
        try (ScriptedNode node = ScriptedNode.start()) {
            node.on("*", ScriptedNode.raw("HTTP/1.1 100 Continue\r\n\r\n".repeat(5_000)));
            try (DaemonProcess daemon = LauncherCall.daemon(folder.resolve("datadir"))
                    .and("--node-rpc", node.url().toString())
                    .start()) {
                Await.until(
                        "the node is asked again and again",
                        () -> node.requests().size() >= 4);

                assertThat(daemon.call("ping", Map.of()).path("ok").asBoolean()).isTrue();
            }
        }
    }
}
