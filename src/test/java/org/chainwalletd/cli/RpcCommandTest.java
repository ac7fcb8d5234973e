package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractStringAssert;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.MethodHelp;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.PlayedServer;
import org.chainwalletd.wire.Binder;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rpc} against a fake daemon. */
@Timeout(120)
class RpcCommandTest {
    @TempDir
    Path folder;

    private final Commands commands = new Commands();
    private String typed = "";
    private final Map<String, String> environment = new HashMap<>(Map.of("WALLETD_AUTH_TOKEN", "t"));
    private volatile String answer = "\"result\":{\"ok\":true,\"names\":[\"a\"]}";

    @AutoClose
    private final PlayedServer daemon = new PlayedServer(() -> PlayedServer.rpc(answer));

    RpcCommandTest() throws IOException {}

    private PlayedServer.Request last() {
        List<PlayedServer.Request> all = daemon.requests();
        return all.get(all.size() - 1);
    }

    private AbstractStringAssert<?> assertAsked() {
        return assertThat(last().body());
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

        assertAsked()
                .contains("\"method\":\"transfer\"")
                .contains(
                        "\"params\":{\"from\":\"00112233\",\"outputs\":[{\"to\":\"bb\",\"amount\":18446744073709551615}],"
                                + "\"max_fee\":12,\"client_token\":\"1234567890\"}");
    }

    @Test
    void required_parameters_need_no_names() {
        assertThat(rpc("get_block_by_height", "7")).isZero();
        assertAsked().contains("\"params\":{\"height\":7}");

        assertThat(rpc("transfer", "aa", "[{\"to\":\"bb\",\"amount\":5}]", "max_fee=12"))
                .isZero();
        assertAsked()
                .contains("\"params\":{\"from\":\"aa\",\"outputs\":[{\"to\":\"bb\",\"amount\":5}],\"max_fee\":12}");

        assertThat(rpc("get_balance", "aa", "bb")).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("the required ones come first: address");
    }

    @Test
    void help_lists_the_methods_and_describes_one() {
        assertThat(rpc("help")).isZero();
        assertThat(commands.out()).contains("get_balance ").doesNotContain("get_block ");

        commands.forget();
        assertThat(rpc("help", "transfer")).isZero();
        assertThat(commands.out())
                .contains("transfer (needs the spend token)", "client_token", "-32039", "rpc transfer from=0123");

        commands.forget();
        assertThat(rpc("reveal_mnemonic", "--help")).isZero();
        assertThat(commands.out()).contains("rpc reveal_mnemonic passphrase=-");
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
            daemon.requests().clear();
            assertThat(rpc(words.subList(1, words.size()).toArray(String[]::new)))
                    .as(example + " " + commands.err())
                    .isZero();
            if (!example.contains("=-")) {
                Binder.strict(method.params())
                        .bind(method.spelling()
                                .asDeclared(new ObjectMapper()
                                        .readTree(last().body())
                                        .get("params")));
            }
        }
    }

    @Test
    void a_mistyped_word_gets_the_one_that_was_probably_meant() {
        answer = "\"error\":{\"code\":-32601,\"message\":\"method not found\"}";
        assertThat(rpc("get_balanse")).isEqualTo(ExitCode.BAD_CALL);
        assertThat(rpc("get_balanse", "ab".repeat(32))).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("no method get_balanse: did you mean get_balance?", "key=value");
        assertThat(rpc("help", "tranfser")).isEqualTo(ExitCode.USAGE);
        assertThat(rpc("get_balance", "adress=aa")).isEqualTo(ExitCode.USAGE);
        assertThat(rpc("ping", "--rwa")).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err())
                .contains(
                        "did you mean get_balance?",
                        "did you mean transfer?",
                        "did you mean address?",
                        "did you mean --raw?");
    }

    @Test
    void a_daemon_that_does_not_run_is_named_so() {
        daemon.close();
        assertThat(rpc("ping")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(commands.err()).contains("connection refused at", "is the daemon running?");
    }

    @Test
    void a_method_that_only_the_daemon_knows_can_be_called_too() {
        assertThat(rpc("brand_new", "count=3", "word=three")).isZero();

        assertAsked().contains("\"params\":{\"count\":3,\"word\":\"three\"}");
    }

    @Test
    void json_comes_as_a_word_from_a_file_or_from_standard_input() throws IOException {
        Path file = Files.writeString(folder.resolve("params.json"), "{\"address\":\"f\"}");
        typed = "{\"address\":\"s\"}";

        assertThat(rpc("get_balance", "{\"address\":\"w\"}")).isZero();
        assertAsked().contains("\"params\":{\"address\":\"w\"}");
        assertThat(rpc("get_balance", "--params", file.toString())).isZero();
        assertAsked().contains("\"params\":{\"address\":\"f\"}");
        assertThat(rpc("get_balance", "--params", "-")).isZero();
        assertAsked().contains("\"params\":{\"address\":\"s\"}");
    }

    @Test
    void a_result_is_pretty_or_on_one_line() {
        rpc("ping");
        assertThat(commands.out()).contains("\"ok\" : true");
        commands.forget();
        rpc("ping", "--raw");
        assertThat(commands.out()).isEqualToIgnoringNewLines("{\"ok\":true,\"names\":[\"a\"]}");
    }

    @Test
    void a_table_has_a_row_for_each_object_and_amounts_in_coins_when_asked() {
        answer =
                "\"result\":{\"entries\":[{\"address\":\"aa\",\"label\":\"shop\",\"imported\":true,\"balance\":18446744073709551615},"
                        + "{\"address\":\"bb\",\"label\":null,\"imported\":true,\"balance\":5}],\"total\":123456789}";

        assertThat(rpc("get_wallet_balance", "--output", "table", "--coins")).isZero();
        assertThat(commands.out().lines())
                .containsExactly(
                        "total  1.23456789",
                        "",
                        "entries:",
                        "address  label  imported                balance",
                        "aa       shop   true      184467440737.09551615",
                        "bb       -      true                 0.00000005");
        commands.forget();
        assertThat(rpc("get_wallet_balance", "--output=table")).isZero();
        assertThat(commands.out()).contains("18446744073709551615", "total  123456789");
        commands.forget();
        assertThat(rpc("get_wallet_balance", "--coins", "--raw")).isZero();
        assertThat(commands.out()).contains("\"balance\":0.00000005", "\"total\":1.23456789");

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
            commands.forget();
            assertThat(rpc(words)).isEqualTo(ExitCode.USAGE);
            assertThat(commands.err()).contains("one word in single quotes");
        }
        assertThat(rpc("get_balance", "--address", "aa")).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("have no dashes: address=...");
        assertThat(daemon.requests()).isEmpty();
    }

    @Test
    void a_daemon_that_runs_on_the_datadir_is_found_where_it_says() throws IOException {
        tokenFiles();
        Files.writeString(
                folder.resolve("DAEMON"),
                "pid=1\nstarted=1\nurl=http://127.0.0.1:" + daemon.port() + "/\ntokens=files\n");

        assertThat(run("rpc", "ping")).isZero();
        assertThat(last().authorization()).isEqualTo("Bearer of-read");
        assertThat(run("rpc", "ping", "--bind", "127.0.0.1:" + FreePort.any())).isEqualTo(ExitCode.NO_ANSWER);

        Files.setPosixFilePermissions(folder.resolve("DAEMON"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(commands.err()).doesNotContain("7448");
        assertThat(run("rpc", "ping")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(commands.err()).contains("7448");
    }

    @Test
    void an_answer_that_was_heard_already_is_printed_and_nothing_is_sent() {
        typed = "200\n{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}";
        assertThat(rpc("ping", "--answered")).isZero();
        assertThat(commands.out()).contains("\"ok\" : true");

        typed =
                "401\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":null}";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.UNAUTHORIZED);
        typed = "0\nEOF";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.NO_ANSWER);
        typed = "502\nbad gateway";
        assertThat(rpc("ping", "--answered")).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(daemon.requests()).isEmpty();
        assertThat(commands.err()).contains("no answer from", "EOF", "HTTP 502 without a JSON-RPC body");
    }

    @Test
    void an_empty_variable_counts_as_not_set() {
        environment.put("WALLETD_FINGERPRINT", "");
        environment.put("WALLETD_BIND", "");
        environment.put("WALLETD_CONFIG", "");
        assertThat(rpc("ping")).isZero();

        environment.put("WALLETD_AUTH_TOKEN_SPEND", "");
        assertThat(rpc("ping")).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("WALLETD_AUTH_TOKEN_SPEND) is empty");
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
        assertThat(daemon.requests()).isEmpty();
        assertThat(commands.err())
                .contains("get_balance has no parameter adress: did you mean address?; it has address");
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
        assertThat(commands.err()).contains("error -32021: some words");
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
        assertThat(last().authorization()).isEqualTo("Bearer of-read");
        assertThat(rpc("ping", "--scope", "spend")).isZero();
        assertThat(last().authorization()).isEqualTo("Bearer of-spend");
        assertThat(rpc("ping", "--scope", "admin")).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("--scope is read, manage or spend, not admin");

        answer = "\"error\":{\"code\":-32001,\"message\":\"unauthorized\"}";
        assertThat(rpc("ping")).isEqualTo(ExitCode.UNAUTHORIZED);
        assertThat(commands.err()).contains("--scope spend");
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
        assertThat(commands.err()).contains("WALLETD_AUTH_TOKEN").doesNotContain("of-spend");
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
        assertThat(commands.err()).contains("in clear", "https://");
    }

    @Test
    void a_secret_is_read_from_standard_input_and_refused_on_the_command_line() {
        for (String[] words : List.of(
                new String[] {"export_vault", "passphrase=of the vault"},
                new String[] {"export_vault", "{\"passphrase\":\"of the vault\"}"},
                new String[] {"import_private_key", "private_key=of the vault"})) {
            assertThat(rpc(words)).isEqualTo(ExitCode.USAGE);
        }
        assertThat(daemon.requests()).isEmpty();
        assertThat(commands.err()).contains("passphrase=-").doesNotContain("of the vault");

        typed = "of the vault\r\nand more\n";
        assertThat(rpc("export_vault", "passphrase=-")).isZero();
        assertAsked().contains("\"params\":{\"passphrase\":\"of the vault\"}");
        typed = "";
        assertThat(rpc("export_vault", "passphrase=-")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void what_a_daemon_says_does_not_steer_the_terminal() {
        answer = "\"error\":{\"code\":-32021,\"message\":\"no\\n\\u001b[2Jall is \\u202ewell\\u009b\"}";
        assertThat(rpc("ping")).isEqualTo(ExitCode.REFUSED);
        answer = "\"result\":{\"node\":\"a\\u009b2Jb\\u202ec\\u2028d\\u001b[2J\"}";
        assertThat(rpc("ping", "--raw")).isZero();
        assertThat(commands.out().stripTrailing())
                .isEqualToIgnoringCase("{\"node\":\"a\\u009b2Jb\\u202ec\\u2028d\\u001b[2J\"}");

        assertThat(commands.err().stripTrailing())
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
        Path script = Files.writeString(folder.resolve("completion.bash"), commands.out());

        assertThat(completions(script, "chain-walletd rpc get_bal"))
                .contains("get_balance")
                .doesNotContain("transfer");
        assertThat(completions(script, "chain-walletd rpc transfer cl")).contains("client_token=");
        assertThat(completions(script, "chain-walletd rpc --raw transfer fee")).contains("fee=", "fee_rate=");
        assertThat(completions(script, "chain-walletd rpc --sc")).contains("--scope");
        assertThat(completions(script, "chain-walletd dev")).contains("devnet");
    }

    private static String completions(Path script, String line) throws Exception {
        return CommandsTest.completions(script, "_chain-walletd_with_rpc", line);
    }

    private int rpc(String... words) {
        List<String> all = new ArrayList<>(List.of("rpc"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", daemon.url().toString()));
        return run(all.toArray(String[]::new));
    }

    private int run(String... words) {
        environment.put("WALLETD_DATADIR", folder.toString());
        return commands.run(typed, environment, words);
    }
}
