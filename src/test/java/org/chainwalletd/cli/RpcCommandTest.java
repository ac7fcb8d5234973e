package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.MethodHelp;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.wire.Binder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rpc} against a server that plays the daemon. */
@Timeout(120)
class RpcCommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private String typed = "";
    private HttpServer server;
    private volatile String asked;
    private volatile String shown;
    private final Map<String, String> environment = new HashMap<>(Map.of("WALLETD_AUTH_TOKEN", "t"));
    private volatile String answer = "\"result\":{\"ok\":true,\"names\":[\"a\"]}";

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            shown = exchange.getRequestHeaders().getFirst("authorization");
            asked = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] body = ("{\"jsonrpc\":\"2.0\"," + answer + ",\"id\":1}").getBytes(StandardCharsets.UTF_8);
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
    void values_get_the_types_that_the_registry_knows() {
        assertThat(rpc(
                        "transfer",
                        "from=00112233",
                        "outputs=[{\"to\":\"bb\",\"amount\":18446744073709551615}]",
                        "max_fee=12",
                        "client_token=1234567890"))
                .isZero();

        assertThat(asked)
                .contains("\"method\":\"transfer\"")
                .contains(
                        "\"params\":{\"from\":\"00112233\",\"outputs\":[{\"to\":\"bb\",\"amount\":18446744073709551615}],"
                                + "\"max_fee\":12,\"client_token\":\"1234567890\"}");
    }

    @Test
    void required_parameters_need_no_names() {
        assertThat(rpc("get_block_by_height", "7")).isZero();
        assertThat(asked).contains("\"params\":{\"height\":7}");

        assertThat(rpc("transfer", "aa", "[{\"to\":\"bb\",\"amount\":5}]", "max_fee=12"))
                .isZero();
        assertThat(asked)
                .contains("\"params\":{\"from\":\"aa\",\"outputs\":[{\"to\":\"bb\",\"amount\":5}],\"max_fee\":12}");

        assertThat(rpc("get_balance", "aa", "bb")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("the required ones come first: address");
    }

    @Test
    void help_lists_the_methods_and_describes_one() {
        assertThat(rpc("help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("get_balance ")
                .doesNotContain("get_block ");

        out.reset();
        assertThat(rpc("help", "transfer")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("transfer (needs the spend token)", "client_token", "-32039", "rpc transfer from=0123");

        out.reset();
        assertThat(rpc("reveal_mnemonic", "--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("rpc reveal_mnemonic passphrase=-");
    }

    @Test
    void every_example_of_the_help_runs_as_it_stands_and_has_the_parameters_that_the_method_takes() throws Exception {
        typed = "a secret\n";
        for (RpcMethod<?, ?> method :
                RpcParameters.registry(ChainProfile.of("chain")).methods()) {
            String help = MethodHelp.of(method, "rpc");
            String example = help.substring(help.indexOf("Example:\n") + 9).strip();
            assertThat(example).as(method.name()).matches("rpc( '[^'<>\u2026]*'| [\\w=.:/-]+)+");
            List<String> words = new ArrayList<>();
            Matcher word = Pattern.compile("'([^']*)'|[^ ']+").matcher(example);
            while (word.find()) {
                words.add(word.group(1) == null ? word.group() : word.group(1));
            }
            asked = null;
            assertThat(rpc(words.subList(1, words.size()).toArray(String[]::new)))
                    .as(example + " " + text(err))
                    .isZero();
            if (!example.contains("=-")) {
                Binder.strict(method.params())
                        .bind(method.spelling()
                                .asDeclared(new ObjectMapper().readTree(asked).get("params")));
            }
        }
    }

    @Test
    void a_mistyped_word_gets_the_one_that_was_probably_meant() {
        answer = "\"error\":{\"code\":-32601,\"message\":\"method not found\"}";
        assertThat(rpc("get_balanse")).isEqualTo(ExitCode.BAD_CALL);
        assertThat(rpc("get_balanse", "ab".repeat(32))).isEqualTo(ExitCode.USAGE);
        assertThat(text(err)).contains("no method get_balanse: did you mean get_balance?", "key=value");
        assertThat(rpc("help", "tranfser")).isEqualTo(ExitCode.USAGE);
        assertThat(rpc("get_balance", "adress=aa")).isEqualTo(ExitCode.USAGE);
        assertThat(rpc("ping", "--rwa")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(
                        "did you mean get_balance?",
                        "did you mean transfer?",
                        "did you mean address?",
                        "did you mean --raw?");
    }

    @Test
    void a_daemon_that_does_not_run_is_named_so() {
        server.stop(0);
        assertThat(rpc("ping")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("connection refused at", "is the daemon running?");
    }

    @Test
    void a_method_that_only_the_daemon_knows_can_be_called_too() {
        assertThat(rpc("brand_new", "count=3", "word=three")).isZero();

        assertThat(asked).contains("\"params\":{\"count\":3,\"word\":\"three\"}");
    }

    @Test
    void json_comes_as_a_word_from_a_file_or_from_standard_input() throws IOException {
        Path file = Files.writeString(folder.resolve("params.json"), "{\"address\":\"f\"}");
        typed = "{\"address\":\"s\"}";

        assertThat(rpc("get_balance", "{\"address\":\"w\"}")).isZero();
        assertThat(asked).contains("\"params\":{\"address\":\"w\"}");
        assertThat(rpc("get_balance", "--params", file.toString())).isZero();
        assertThat(asked).contains("\"params\":{\"address\":\"f\"}");
        assertThat(rpc("get_balance", "--params", "-")).isZero();
        assertThat(asked).contains("\"params\":{\"address\":\"s\"}");
    }

    @Test
    void a_result_is_pretty_or_on_one_line() {
        rpc("ping");
        assertThat(text(out)).contains("\"ok\" : true");
        out.reset();
        rpc("ping", "--raw");
        assertThat(text(out)).isEqualToIgnoringNewLines("{\"ok\":true,\"names\":[\"a\"]}");
    }

    @Test
    void a_table_has_a_row_for_each_object_and_amounts_in_coins_when_asked() {
        answer =
                "\"result\":{\"entries\":[{\"address\":\"aa\",\"label\":\"shop\",\"imported\":true,\"balance\":18446744073709551615},"
                        + "{\"address\":\"bb\",\"label\":null,\"imported\":true,\"balance\":5}],\"total\":123456789}";

        assertThat(rpc("get_wallet_balance", "--output", "table", "--coins")).isZero();
        assertThat(text(out).lines())
                .containsExactly(
                        "total  1.23456789",
                        "",
                        "entries:",
                        "address  label  imported                balance",
                        "aa       shop   true      184467440737.09551615",
                        "bb       -      true                 0.00000005");
        out.reset();
        assertThat(rpc("get_wallet_balance", "--output=table")).isZero();
        assertThat(text(out)).contains("18446744073709551615", "total  123456789");
        out.reset();
        assertThat(rpc("get_wallet_balance", "--coins", "--raw")).isZero();
        assertThat(text(out)).contains("\"balance\":0.00000005", "\"total\":1.23456789");

        assertThat(rpc("ping", "--output", "xml")).isEqualTo(ExitCode.USAGE);
        assertThat(rpc("ping", "--output", "table", "--raw")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void who_meant_json_is_told_how_it_is_written() {
        for (String[] words : List.of(
                new String[] {"get_balance", "{address: aa}"},
                new String[] {"get_balance", "{", "address:", "aa", "}"},
                new String[] {"get_balance", "address: aa"},
                new String[] {"get_balance", "\"address\":", "\"aa\""},
                new String[] {"transfer", "from=aa", "outputs=[{to: bb}]"})) {
            err.reset();
            assertThat(rpc(words)).isEqualTo(ExitCode.USAGE);
            assertThat(text(err)).contains("one word in single quotes");
        }
        assertThat(rpc("get_balance", "--address", "aa")).isEqualTo(ExitCode.USAGE);
        assertThat(text(err)).contains("have no dashes: address=...");
        assertThat(asked).isNull();
    }

    @Test
    void a_daemon_that_runs_on_the_datadir_is_found_where_it_says() throws IOException {
        tokenFiles();
        Files.writeString(
                folder.resolve("DAEMON"),
                "pid=1\nstarted=1\nurl=http://127.0.0.1:" + server.getAddress().getPort() + "/\ntokens=files\n");

        assertThat(run("rpc", "ping")).isZero();
        assertThat(shown).isEqualTo("Bearer of-read");
        assertThat(run("rpc", "ping", "--bind", "127.0.0.1:" + FreePort.any())).isEqualTo(ExitCode.NO_ANSWER);

        Files.setPosixFilePermissions(folder.resolve("DAEMON"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(text(err)).doesNotContain("7448");
        assertThat(run("rpc", "ping")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(text(err)).contains("7448");
    }

    @Test
    void an_answer_that_was_heard_already_is_printed_and_nothing_is_sent() {
        typed = "200\n{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}";
        assertThat(rpc("ping", "--answered")).isZero();
        assertThat(text(out)).contains("\"ok\" : true");

        typed =
                "401\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":null}";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.UNAUTHORIZED);
        typed = "0\nEOF";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.NO_ANSWER);
        typed = "502\nbad gateway";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(asked).isNull();
        assertThat(text(err)).contains("no answer from", "EOF", "HTTP 502 without a JSON-RPC body");
    }

    @Test
    void an_empty_variable_counts_as_not_set() {
        environment.put("WALLETD_FINGERPRINT", "");
        environment.put("WALLETD_BIND", "");
        environment.put("WALLETD_CONFIG", "");
        assertThat(rpc("ping")).isZero();

        environment.put("WALLETD_AUTH_TOKEN_SPEND", "");
        assertThat(rpc("ping")).isEqualTo(ExitCode.USAGE);
        assertThat(text(err)).contains("WALLETD_AUTH_TOKEN_SPEND) is empty");
    }

    @Test
    void what_cannot_be_meant_is_refused_before_anything_is_sent() {
        for (String[] words : List.of(
                new String[] {"get_balance", "adress=00"},
                new String[] {"get_block_by_height", "height=high"},
                new String[] {"transfer", "outputs=5"},
                new String[] {"delete_address", "force=perhaps"},
                new String[] {"get_balance", "address=1", "address=2"},
                new String[] {"get_balance", "address=1", "nonsense"},
                new String[] {"ping", "[1]"},
                new String[] {"ping", "{"},
                new String[] {"get_balance", "address=1", "--params", "-"},
                new String[] {
                    "get_balance", "--params", folder.resolve("missing").toString()
                })) {
            assertThat(rpc(words)).as(List.of(words).toString()).isEqualTo(ExitCode.USAGE);
        }
        assertThat(asked).isNull();
        assertThat(text(err)).contains("get_balance has no parameter adress: did you mean address?; it has address");
    }

    @Test
    void the_exit_code_says_what_the_caller_can_do() throws IOException {
        Map<Integer, Integer> codes = Map.of(
                -32001, ExitCode.UNAUTHORIZED,
                -32601, ExitCode.BAD_CALL,
                -32602, ExitCode.BAD_CALL,
                -32020, ExitCode.TRY_AGAIN,
                -32603, ExitCode.TRY_AGAIN,
                -32042, ExitCode.TRY_AGAIN,
                -32021, ExitCode.REFUSED,
                -32031, ExitCode.REFUSED,
                -32099, ExitCode.REFUSED);
        codes.forEach((code, exit) -> {
            answer = "\"error\":{\"code\":" + code + ",\"message\":\"some words\"}";
            assertThat(rpc("ping")).as("exit code of %d", code).isEqualTo(exit);
        });
        assertThat(text(err)).contains("error -32021: some words");
        for (int unknown : List.of(-32020, -32603)) {
            answer = "\"error\":{\"code\":" + unknown + ",\"message\":\"some words\"}";
            assertThat(rpc("transfer", "from=aa", "outputs=[]")).isEqualTo(ExitCode.NO_ANSWER);
            assertThat(rpc("transfer", "from=aa", "outputs=[]", "client_token=order-0001"))
                    .isEqualTo(ExitCode.TRY_AGAIN);
            assertThat(rpc("transfer", "{\"from\":\"aa\",\"outputs\":[],\"client_token\":\"order-0001\"}"))
                    .isEqualTo(ExitCode.TRY_AGAIN);
            assertThat(rpc("generate_address", "label=till")).isEqualTo(ExitCode.NO_ANSWER);
            assertThat(rpc("payout_cancel", "payout_ids=[\"salary-1\"]")).isEqualTo(ExitCode.TRY_AGAIN);
        }
        answer = "\"error\":{\"code\":-32031,\"message\":\"x\",\"data\":{\"in_flight_reserved\":true}}";
        assertThat(rpc("ping")).isEqualTo(ExitCode.TRY_AGAIN);

        assertThat(run("rpc", "ping", "--url", "http://127.0.0.1:" + FreePort.any() + "/"))
                .isEqualTo(ExitCode.NO_ANSWER);
    }

    @Test
    void the_read_token_is_shown_unless_another_scope_is_named() throws IOException {
        tokenFiles();
        assertThat(rpc("ping")).isZero();
        assertThat(shown).isEqualTo("Bearer of-read");
        assertThat(rpc("ping", "--scope", "spend")).isZero();
        assertThat(shown).isEqualTo("Bearer of-spend");
        assertThat(rpc("ping", "--scope", "admin")).isEqualTo(ExitCode.USAGE);
        assertThat(text(err)).contains("--scope is read, manage or spend, not admin");

        answer = "\"error\":{\"code\":-32001,\"message\":\"unauthorized\"}";
        assertThat(rpc("ping")).isEqualTo(ExitCode.UNAUTHORIZED);
        assertThat(text(err)).contains("--scope spend");
    }

    @Test
    void the_tokens_of_this_machine_go_to_no_other() throws IOException {
        tokenFiles();
        for (String url : List.of(
                "https://wallet.invalid/",
                "https://127.0.0.1@wallet.invalid/",
                "https://localhost.wallet.invalid/",
                "https://192.0.2.1:7448/",
                "https://127.0.0.1.wallet.invalid/")) {
            environment.put("WALLETD_URL", url);
            assertThat(run("rpc", "ping", "--scope", "spend")).as(url).isEqualTo(ExitCode.USAGE);
            assertThat(run("watch", "--once")).as(url).isEqualTo(ExitCode.USAGE);
        }
        assertThat(text(err)).contains("WALLETD_AUTH_TOKEN").doesNotContain("of-spend");
    }

    @Test
    void no_token_leaves_the_machine_in_clear() {
        for (String url : List.of(
                "http://wallet.invalid/",
                "http://192.0.2.1:7448/",
                "HTTP://127.0.0.1@wallet.invalid/",
                "http://[2001:db8::1]/")) {
            assertThat(run("rpc", "ping", "--url", url)).as(url).isEqualTo(ExitCode.USAGE);
        }
        assertThat(run("rpc", "ping", "--bind", "192.0.2.1:7448", "--allow-public-bind"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(text(err)).contains("in clear", "https://");
    }

    @Test
    void a_secret_is_read_from_standard_input_and_refused_on_the_command_line() {
        for (String[] words : List.of(
                new String[] {"export_vault", "passphrase=of the vault"},
                new String[] {"export_vault", "{\"passphrase\":\"of the vault\"}"},
                new String[] {"import_private_key", "private_key=of the vault"})) {
            assertThat(rpc(words)).isEqualTo(ExitCode.USAGE);
        }
        assertThat(asked).isNull();
        assertThat(text(err)).contains("passphrase=-").doesNotContain("of the vault");

        typed = "of the vault\r\nand more\n";
        assertThat(rpc("export_vault", "passphrase=-")).isZero();
        assertThat(asked).contains("\"params\":{\"passphrase\":\"of the vault\"}");
        typed = "";
        assertThat(rpc("export_vault", "passphrase=-")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void what_a_daemon_says_does_not_steer_the_terminal() {
        answer = "\"error\":{\"code\":-32021,\"message\":\"no\\n\\u001b[2Jall is \\u202ewell\\u009b\"}";
        assertThat(rpc("ping")).isEqualTo(ExitCode.REFUSED);
        answer = "\"result\":{\"node\":\"a\\u009b2Jb\\u202ec\\u2028d\\u001b[2J\"}";
        assertThat(rpc("ping", "--raw")).isZero();
        assertThat(text(out).stripTrailing())
                .isEqualToIgnoringCase("{\"node\":\"a\\u009b2Jb\\u202ec\\u2028d\\u001b[2J\"}");

        assertThat(text(err).stripTrailing())
                .doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}].*")
                .contains("\\u001b[2J");
    }

    private void tokenFiles() throws IOException {
        environment.remove("WALLETD_AUTH_TOKEN");
        for (String scope : List.of("read", "manage", "spend")) {
            Files.writeString(folder.resolve("token-" + scope), "of-" + scope + "\n");
        }
    }

    @Test
    void the_completion_script_knows_methods_and_their_parameters() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here");
        run("completion");
        Path script = Files.writeString(folder.resolve("completion.bash"), text(out));

        assertThat(completions(script, "chain-walletd rpc get_bal"))
                .contains("get_balance")
                .doesNotContain("transfer");
        assertThat(completions(script, "chain-walletd rpc transfer cl")).contains("client_token=");
        assertThat(completions(script, "chain-walletd rpc --raw transfer fee")).contains("fee=", "fee_rate=");
        assertThat(completions(script, "chain-walletd rpc --sc")).contains("--scope");
        assertThat(completions(script, "chain-walletd dev")).contains("devnet");
    }

    private static String completions(Path script, String line) throws Exception {
        Process bash = new ProcessBuilder(
                        "/bin/bash",
                        "--norc",
                        "-c",
                        ". '" + script + "'; read -r -a COMP_WORDS; COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                                + " _chain-walletd_with_rpc; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .redirectErrorStream(true)
                .start();
        bash.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        bash.getOutputStream().close();
        return Await.output(bash);
    }

    private int rpc(String... words) {
        List<String> all = new ArrayList<>(List.of("rpc"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + server.getAddress().getPort() + "/"));
        return run(all.toArray(String[]::new));
    }

    private int run(String... words) {
        Invocation.Streams streams = new Invocation.Streams(
                new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out),
                new PrintStream(err));
        environment.put("WALLETD_DATADIR", folder.toString());
        return Program.run(words, environment, streams);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
