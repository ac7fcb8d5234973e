package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.PlayedServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code export} against a fake daemon whose answers fail. */
@Timeout(120)
class ExportCommandTest {
    private static final String REFUSED = "\"error\":{\"code\":-32020,\"message\":\"no node answers\"}";

    @TempDir
    Path folder;

    private final Commands commands = new Commands();
    private final Queue<String> answers = new ArrayDeque<>();

    @AutoClose
    private final PlayedServer daemon = new PlayedServer(() -> PlayedServer.rpc(answers.remove()));

    ExportCommandTest() throws IOException {}

    @Test
    void nothing_is_written_before_the_first_answer() {
        for (String what : List.of("spends", "credits")) {
            answers.add(REFUSED);
            assertThat(export(what)).isEqualTo(ExitCode.TRY_AGAIN);
        }
        assertThat(commands.out()).isEmpty();
        assertThat(commands.err()).doesNotContain("not complete");
    }

    @Test
    void an_export_that_breaks_off_says_that_it_is_not_complete() {
        for (String what : List.of("spends", "credits")) {
            answers.add("\"result\":{\"" + what + "\":[],\"cursor\":\"s1.1\",\"more\":true}");
            answers.add(REFUSED);
            assertThat(export(what)).isEqualTo(ExitCode.TRY_AGAIN);
        }
        assertThat(commands.out().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("spend_id,"))
                .anyMatch(line -> line.startsWith("event,"));
        assertThat(commands.err()).contains("the export is not complete");
    }

    @Test
    void an_empty_export_has_the_names_of_the_columns() {
        answers.add("\"result\":{\"spends\":[],\"cursor\":\"s1.1\",\"more\":false}");
        assertThat(export("spends")).isZero();
        assertThat(commands.out()).startsWith("spend_id,").hasLineCount(1);
    }

    private int export(String what) {
        return commands.run(
                "",
                Map.of("WALLETD_URL", daemon.url().toString(), "WALLETD_AUTH_TOKEN", "t"),
                "export",
                what,
                "--datadir",
                folder.toString());
    }
}
