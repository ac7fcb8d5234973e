package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.PlayedServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher script for plain calls against a fake daemon, compared with what the program itself sends and prints. The JVM is replaced by a
 * program that records its arguments and its standard input.
 */
@Timeout(120)
class LauncherRpcTest {
    private static final Path SCRIPTS = Path.of("src/main/launcher");

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private Path launcher;
    private Path datadir;
    private volatile String answer = "{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}";

    @AutoClose
    private final PlayedServer server = new PlayedServer(() -> answer);

    LauncherRpcTest() throws IOException {}

    /** Result of a launch. */
    private record Ended(int code, String out, String err) {}

    @BeforeEach
    void layOut() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here");
        launcher = program("app/bin/chain-walletd", Files.readString(SCRIPTS.resolve("chain-walletd")));
        Files.createDirectories(folder.resolve("app/lib"));
        for (String name : List.of("rpc.bash", "rpc-methods")) {
            Files.copy(
                    SCRIPTS.resolve("lib").resolve(name),
                    folder.resolve("app/lib").resolve(name));
        }
        program("jdk/bin/java", """
                #!/bin/sh
                { env; printf '<%s>\\n' "$@"; } >"$HEARD"
                cat >"$HEARD.in"
                """);
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        datadir = Files.createDirectory(folder.resolve("data dir"));
        Files.writeString(datadir.resolve("token-read"), "of-read\n");
        Files.writeString(datadir.resolve("token-spend"), "of-spend\n");
        tell(server.port());
    }

    private void tell(int port) throws IOException {
        Files.writeString(
                datadir.resolve("DAEMON"), "pid=1\nstarted=1\nurl=http://127.0.0.1:" + port + "/\ntokens=files\n");
    }

    @Test
    void a_plain_call_is_sent_and_printed_as_the_program_does_it() throws Exception {
        for (String result : List.of(
                "{\"ok\":true}",
                "{}",
                "[]",
                "null",
                "18446744073709551615",
                "\"text with { } [ ] , : in it\"",
                "{\"a\":{},\"b\":[],\"c\":[[],{}],\"d\":[1,-2.5E10,\"x\"],\"e\":null,\"f\":{\"g\":{\"h\":[{\"i\":1},{\"i\":2}]}}}",
                "[{\"a\":\"\"},{\"b\":\"c\"}]")) {
            answer = "{\"jsonrpc\":\"2.0\",\"result\":" + result + ",\"id\":1}";
            alike("rpc", "ping");
            alike("rpc", "ping", "--raw");
        }
        alike("rpc", "--scope", "spend", "get_balance", "address=with \"quotes\" and \\ in it");
        alike("rpc", "get_balance", "address=a=b");
        alike("rpc", "get_block_by_height", "7");
        alike("rpc", "get_block_by_height", "height=18446744073709551615");
        alike("rpc", "get_wallet_balance", "utxos=false");
        alike("rpc", "get_balance", "A=b");
    }

    /** Runs the script without the replaced JVM, and the program itself, and compares them. */
    private void alike(String... words) throws Exception {
        server.requests().clear();
        Ended script = launch(words);
        assertThat(folder.resolve("heard")).as("%s", List.of(words)).doesNotExist();
        Ended program = run(words);
        assertThat(script).isEqualTo(program);
        if (program.code() == ExitCode.OK) {
            assertThat(server.requests()).hasSize(2);
            assertThat(server.requests().get(0)).isEqualTo(server.requests().get(1));
        }
    }

    @Test
    void what_is_not_plain_is_left_to_the_jvm_before_anything_is_sent() throws Exception {
        for (String[] words : List.of(
                new String[] {"rpc", "help"},
                new String[] {"rpc", "ping", "--help"},
                new String[] {"rpc", "unheard_of"},
                new String[] {"rpc", "get_balance", "{\"address\":\"aa\"}"},
                new String[] {"rpc", "get_balance", "address=\u00fc"},
                new String[] {"rpc", "get_balance", "adress=aa"},
                new String[] {"rpc", "get_balance", "aa", "bb"},
                new String[] {"rpc", "get_balance", "address=aa", "address=bb"},
                new String[] {"rpc", "get_block_by_height", "007"},
                new String[] {"rpc", "get_block_by_height", "+7"},
                new String[] {"rpc", "get_wallet_balance", "utxos=maybe"},
                new String[] {"rpc", "transfer", "from=aa", "outputs=[]"},
                new String[] {"rpc", "export_vault", "passphrase=-"},
                new String[] {"rpc", "ping", "--output", "table"},
                new String[] {"rpc", "ping", "--url", "https://127.0.0.1:1/"},
                new String[] {"rpc", "ping", "--url", "http://192.0.2.1:1/"},
                new String[] {"rpc", "ping", "--url", "http://127.0.0.1@192.0.2.1:1/"},
                new String[] {"rpc", "ping", "--scope", "../x"},
                new String[] {"rpc", "ping", "--bind", "127.0.0.1:1"},
                new String[] {"status", "rpc"})) {
            launch(words);
            assertThat(heard()).as("%s", List.of(words)).contains("<org.chainwalletd.Main>", "<" + words[0] + ">");
            assertThat(heard()).doesNotContain("--answered");
        }
        for (String variable :
                List.of("WALLETD_CONFIG", "WALLETD_FINGERPRINT", "WALLETD_BRAND", "WALLETD_AUTH_TOKEN_READ")) {
            environment.put(variable, "x");
            launch("rpc", "ping");
            assertThat(heard()).doesNotContain("--answered");
            environment.clear();
        }
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void a_daemon_that_does_not_say_where_it_is_or_that_others_can_make_say_it_is_left_to_the_jvm() throws Exception {
        Files.setPosixFilePermissions(datadir.resolve("DAEMON"), PosixFilePermissions.fromString("rw-rw-r--"));
        launch("rpc", "ping");
        assertThat(heard()).contains("<ping>");
        Files.writeString(datadir.resolve("DAEMON"), "url=" + server.url() + "\ntokens=configured\n");
        Files.setPosixFilePermissions(datadir.resolve("DAEMON"), PosixFilePermissions.fromString("rw-------"));
        launch("rpc", "ping");
        assertThat(heard()).contains("<ping>");
        Files.delete(datadir.resolve("DAEMON"));
        launch("rpc", "ping");
        assertThat(heard()).contains("<ping>");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void an_answer_that_is_no_plain_result_is_printed_by_the_jvm_and_never_asked_for_again() throws Exception {
        for (String body : List.of(
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32021,\"message\":\"no\"},\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":\"\u00fc\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":\"a\\u001bb\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":{\"a\": 1},\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":{\"a\":[1},\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":\"a,\"id\":1}",
                "not JSON")) {
            server.requests().clear();
            answer = body;
            Ended ended = launch("rpc", "ping");
            assertThat(ended.out()).isEmpty();
            assertThat(heard()).contains("<ping>", "<--answered>");
            assertThat(heardToRead()).isEqualTo("200\n" + body);
            assertThat(server.requests()).hasSize(1);
        }
        server.answering(401);
        launch("rpc", "ping");
        assertThat(heardToRead()).startsWith("401\n");
    }

    @Test
    void a_call_whose_answer_is_lost_is_not_sent_again() throws Exception {
        for (String part : List.of("", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"jsonrpc\"")) {
            try (ServerSocket cutting = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                tell(cutting.getLocalPort());
                Thread daemon = new Thread(() -> cut(cutting, part));
                daemon.start();
                launch("rpc", "ping");
                Await.end(daemon);
            }
            assertThat(heard()).contains("<--answered>");
            assertThat(heardToRead()).startsWith("0\n");
        }
    }

    private static void cut(ServerSocket server, String part) {
        try (Socket client = server.accept()) {
            client.getInputStream().read(new byte[4096]);
            client.getOutputStream().write(part.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_daemon_that_does_not_listen_is_left_to_the_jvm_to_be_told() throws Exception {
        server.close();
        launch("rpc", "ping");
        assertThat(heard()).contains("<ping>").doesNotContain("--answered");
    }

    @Test
    void no_other_process_is_shown_the_token() throws Exception {
        environment.put("token", "of the environment");
        program("tools/awk", """
                #!/bin/sh
                { env; printf '<%s>\\n' "$@"; } >>"$HEARD.tools"
                exec /usr/bin/awk "$@"
                """);
        environment.put("PATH", folder.resolve("tools") + ":" + System.getenv("PATH"));
        assertThat(launch("rpc", "ping").code()).isZero();
        assertThat(server.requests())
                .extracting(PlayedServer.Request::authorization)
                .containsExactly("Bearer of-read");
        assertThat(folder.resolve("heard.tools")).content().contains("HEARD=").doesNotContain("of-read");

        answer = "not JSON";
        launch("rpc", "ping");
        assertThat(heard()).contains("--answered").doesNotContain("of-read");
    }

    private Ended launch(String... words) throws Exception {
        Files.deleteIfExists(folder.resolve("heard"));
        Files.deleteIfExists(folder.resolve("heard.in"));
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("WALLETD_"));
        builder.environment().putAll(variables());
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("HEARD", folder.resolve("heard").toString());
        builder.environment().put("WALLETD_ARCHIVE", "off");
        int code = Await.exit(builder.start());
        return new Ended(code, Files.readString(folder.resolve("out")), Files.readString(folder.resolve("err")));
    }

    private Map<String, String> variables() {
        Map<String, String> all = new HashMap<>(environment);
        all.put("WALLETD_DATADIR", datadir.toString());
        return all;
    }

    /** Runs the program itself. */
    private Ended run(String... words) {
        Commands commands = new Commands();
        int code = commands.run("", variables(), words);
        return new Ended(code, commands.out(), commands.err());
    }

    private String heard() throws IOException {
        return Files.readString(folder.resolve("heard"));
    }

    private String heardToRead() throws IOException {
        return Files.readString(folder.resolve("heard.in"));
    }

    private Path program(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
