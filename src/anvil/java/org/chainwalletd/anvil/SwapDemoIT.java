package org.chainwalletd.anvil;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The packaged launcher sells and buys over HTTP, with a pool on a development chain and a real anvil, each to its end. */
@Tag("long")
@Timeout(300)
class SwapDemoIT {
    private record Ended(int code, String said) {}

    private static Ended demo(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                LauncherCall.packageFolder()
                        .resolve("bin/chain-walletd")
                        .toAbsolutePath()
                        .toString(),
                "demo",
                "--swap"));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("WALLETD_ARCHIVE", "off");
        Process process = builder.start();
        process.getOutputStream().close();
        String said = Await.output(process);
        return new Ended(Await.exit(process), said);
    }

    @Test
    void both_directions_end_with_both_sides_paid() throws Exception {
        Ended demo = demo("--anvil", System.getProperty("anvil.home"));
        assertThat(demo.code()).as(demo.said()).isZero();
        assertThat(demo.said())
                .contains("\"status\":\"completed\",", "\"direction\":\"native_to_chain\"", "Done: sold and bought")
                .doesNotContain("preimage", " WARN ", " ERROR ");
    }

    @Test
    void without_an_account_chain_it_says_what_is_missing() throws Exception {
        Ended demo = demo("--anvil", "/nowhere");
        assertThat(demo.code()).isEqualTo(1);
        assertThat(demo.said()).contains("there is no anvil at /nowhere").contains("npm install");
    }
}
