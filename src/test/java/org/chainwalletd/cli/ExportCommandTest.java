package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code export} against a server that plays a daemon whose answers fail. */
@Timeout(120)
class ExportCommandTest {
    private static final String REFUSED = "\"error\":{\"code\":-32020,\"message\":\"no node answers\"}";

    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Queue<String> answers = new ArrayDeque<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] body = ("{\"jsonrpc\":\"2.0\"," + answers.remove() + ",\"id\":1}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void nothing_is_written_before_the_first_answer() {
        for (String what : List.of("spends", "credits")) {
            answers.add(REFUSED);
            assertThat(export(what)).isEqualTo(ExitCode.TRY_AGAIN);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).doesNotContain("not complete");
    }

    @Test
    void an_export_that_breaks_off_says_that_it_is_not_complete() {
        for (String what : List.of("spends", "credits")) {
            answers.add("\"result\":{\"" + what + "\":[],\"cursor\":\"s1.1\",\"more\":true}");
            answers.add(REFUSED);
            assertThat(export(what)).isEqualTo(ExitCode.TRY_AGAIN);
        }
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("spend_id,"))
                .anyMatch(line -> line.startsWith("event,"));
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("the export is not complete");
    }

    @Test
    void an_empty_export_has_the_names_of_the_columns() {
        answers.add("\"result\":{\"spends\":[],\"cursor\":\"s1.1\",\"more\":false}");
        assertThat(export("spends")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("spend_id,").hasLineCount(1);
    }

    private int export(String what) {
        return Program.run(
                new String[] {"export", what, "--datadir", folder.toString()},
                Map.of(
                        "WALLETD_URL",
                        "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                        "WALLETD_AUTH_TOKEN",
                        "t"),
                new Invocation.Streams(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)));
    }
}
