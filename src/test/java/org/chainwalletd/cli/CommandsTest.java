package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.chainwalletd.config.Option;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that end by themselves, run like from the command line. */
class CommandsTest {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private final Commands commands = new Commands();

    @Test
    void a_pool_without_an_account_chain_says_what_is_missing_and_how_to_get_it() {
        int code = run(Map.of("PATH", "/nowhere"), "devnet --pool --datadir " + folder + " --devnet-bind 127.0.0.1:0");

        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("npm install", "@foundry-rs/anvil", "--anvil", "--pool-evm-rpc");
    }

    @Test
    void the_manual_page_has_every_command_and_option_and_formats_without_a_complaint() throws Exception {
        assertThat(run("completion --man")).isZero();
        String page = commands.out();
        FullCommandLine.Commands.all()
                .forEach(command ->
                        assertThat(page).contains(".B " + command.word().replace("-", "\\-")));
        Option.all().forEach(option -> assertThat(page).contains(option.flag().replace("-", "\\-")));
        assertThat(page).startsWith(".TH CHAIN-WALLETD 1 ").doesNotContain("\\-\\-answered");

        assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "no groff here");
        Path file = Files.writeString(folder.resolve("page.1"), page);
        Process groff = new ProcessBuilder("/usr/bin/groff", "-man", "-Tascii", "-ww", "-z", file.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(Await.output(groff)).isEmpty();
    }

    @Test
    void token_rotate_replaces_one_file_and_prints_the_new_token_once() throws IOException {
        Path file = Files.writeString(folder.resolve("token-read"), "ab".repeat(32) + "\n");
        Path other = Files.writeString(folder.resolve("token-spend"), "cd".repeat(32) + "\n");

        assertThat(run("token rotate read --datadir " + folder)).isEqualTo(ExitCode.OK);

        String token = commands.out().strip();
        assertThat(token).matches("[0-9a-f]{64}").isNotEqualTo("ab".repeat(32));
        assertThat(file).hasContent(token + "\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(other).hasContent("cd".repeat(32) + "\n");
        assertThat(commands.err()).contains("SIGHUP").doesNotContain(token);
    }

    @Test
    void token_rotate_refuses_what_is_no_scope_no_datadir_or_not_in_a_file() {
        String datadir = folder.toString();
        assertThat(run("token rotate write --datadir " + datadir)).isEqualTo(ExitCode.USAGE);
        assertThat(run("token burn read --datadir " + datadir)).isEqualTo(ExitCode.USAGE);
        assertThat(run("token rotate read --datadir " + datadir)).isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("token-read");
        Map<String, String> variable = Map.of("WALLETD_AUTH_TOKEN_READ", "ef".repeat(32));
        assertThat(run(variable, "token rotate read --datadir " + datadir)).isEqualTo(ExitCode.FAILED);
        assertThat(folder).isEmptyDirectory();
        assertThat(commands.out()).isEmpty();
    }

    @Test
    void token_create_refuses_in_one_line_what_is_no_amount_time_method_or_list_and_makes_nothing() throws IOException {
        Path picture = Files.write(elsewhere.resolve("to.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G'});
        Map.of(
                        "-5",
                        "--cap-per-tx",
                        "1.5",
                        "--cap-per-tx",
                        "18446744073709551616",
                        "--cap-per-period",
                        "0d",
                        "--expires",
                        "99999999999d",
                        "--expires",
                        "no_such",
                        "--methods",
                        "",
                        "--methods",
                        "/dev/null",
                        "--to",
                        picture.toString(),
                        "--to")
                .forEach((value, option) -> {
                    commands.forgetErrors();
                    assertThat(run("token create shop --scope spend " + option + " " + value + " --datadir " + folder))
                            .as("%s %s", option, value)
                            .isBetween(ExitCode.FAILED, ExitCode.USAGE);
                    assertThat(commands.err()).startsWith("chain-walletd: ").hasLineCount(1);
                });
        assertThat(folder).isEmptyDirectory();
        assertThat(commands.out()).isEmpty();
    }

    @Test
    void token_create_refuses_methods_that_its_scope_does_not_contain_and_makes_nothing() {
        String datadir = folder.toString();
        refused(
                ExitCode.FAILED,
                "a token of --scope read may not call transfer, which is of scope spend: say --scope spend, or leave the"
                        + " method out",
                "token create deposits --scope read --methods list_credits,transfer --datadir " + datadir);
        assertThat(folder).isEmptyDirectory();
        assertThat(run(
                        "token create shop --scope spend --methods transfer,rescan,list_credits,/events,/metrics --datadir "
                                + datadir))
                .isEqualTo(ExitCode.OK);
    }

    @Test
    void store_restored_completes_a_lost_store_and_refuses_one_that_has_forgotten_nothing() throws IOException {
        String datadir = folder.toString();
        SqliteStore.open(folder).close();
        assertThat(run("store moved --datadir " + datadir)).isEqualTo(ExitCode.USAGE);
        assertThat(run("store restored --without books.db --datadir " + datadir))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run("store restored --datadir " + datadir)).isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("nothing to be restored");
        Files.delete(folder.resolve(SqliteStore.FILE_NAME));

        assertThat(run("store restored --datadir " + datadir)).isEqualTo(ExitCode.OK);

        assertThat(commands.out()).contains("entered from sent.log: 0 payments");
        assertThat(folder.resolve(SqliteStore.FILE_NAME)).exists();
    }

    @Test
    void store_confirm_failover_is_refused_in_one_line_when_no_database_answers() {
        assertThat(run("store confirm-failover --datadir " + folder)).isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("name the database with --store").hasLineCount(1);
        commands.forgetErrors();
        String url = "postgresql://walletd@127.0.0.1:1/payments";
        assertThat(run("store confirm-failover --without sent.log --store " + url))
                .isEqualTo(ExitCode.USAGE);
        assertThat(commands.err()).contains("--without does nothing").hasLineCount(1);
        commands.forgetErrors();
        assertThat(run("store confirm-failover --datadir " + folder + " --store " + url))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("does not answer").hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
        assertThat(commands.out()).isEmpty();
    }

    @Test
    void cluster_refuses_in_one_line_what_it_does_not_know_and_a_store_that_is_no_database_or_does_not_answer() {
        String url = "postgresql://walletd@127.0.0.1:1/payments";
        refused(ExitCode.USAGE, "say cluster status", "cluster burn --store " + url);
        refused(
                ExitCode.USAGE,
                "say cluster status, cluster forget START, cluster set NAME or cluster finish-upgrade",
                "cluster status 1 --store " + url);
        refused(ExitCode.USAGE, "say cluster set and one of caps, read-token", "cluster set --store " + url);
        refused(ExitCode.USAGE, "say cluster set and one of caps", "cluster set genesis --store " + url);
        refused(ExitCode.FAILED, "does not answer", "cluster set caps --store " + url);
        refused(ExitCode.USAGE, "the number of the start", "cluster forget --store " + url);
        refused(ExitCode.USAGE, "the number of the start", "cluster forget -1 --store " + url);
        refused(ExitCode.USAGE, "does nothing", "cluster forget 1 --output json --store " + url);
        refused(ExitCode.USAGE, "name the database with --store", "cluster forget 1");
        refused(ExitCode.FAILED, "does not answer", "cluster forget 1 --store " + url);
        refused(ExitCode.USAGE, "--output is table or json", "cluster status --output xml --store " + url);
        refused(ExitCode.USAGE, "name the database with --store", "cluster status");
        refused(ExitCode.USAGE, "must name a user", "cluster status --store postgresql://here");
        refused(ExitCode.FAILED, "does not answer", "cluster status --store " + url);
        assertThat(commands.out()).isEmpty();
    }

    @Test
    void commands_that_need_the_keyring_of_a_database_that_does_not_answer_say_so_in_one_line() {
        Map<String, String> secrets =
                Map.of("WALLETD_STORE_PASSWORD", "x", "WALLETD_KEYSTORE_PASSPHRASE", "correct horse");
        String datadir = folder.resolve("datadir").toString();
        String database = " --store postgresql://w@127.0.0.1:1/p?sslmode=disable --datadir " + datadir;
        for (String command :
                List.of("init-seeded", "migrate --from " + elsewhere, "token create app --scope spend --from shop")) {
            refusedWith(secrets, ExitCode.FAILED, "does not answer (127.0.0.1:1: ", command + database);
            assertThat(commands.err()).doesNotContain("Exception", "\tat ");
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(commands.out()).isEmpty();
    }

    private void refused(int code, String why, String line) {
        refusedWith(Map.of(), code, why, line);
    }

    private void refusedWith(Map<String, String> environment, int code, String why, String line) {
        commands.forgetErrors();
        assertThat(run(environment, line)).as(commands.err()).isEqualTo(code);
        assertThat(commands.err()).contains(why).hasLineCount(1);
    }

    /** The daemon and the commands accept the same option, also as a variable. */
    @Test
    void a_keyring_is_sealed_under_the_passphrase_of_a_file() throws IOException {
        Path file = Files.writeString(folder.resolve("passphrase"), "correct horse\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        String datadir = folder.resolve("datadir").toString();
        Map<String, String> named = Map.of("WALLETD_PASSPHRASE_FILE", file.toString());

        assertThat(run(named, "init-seeded --datadir " + datadir)).isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("is open to other users", file.toString());
        assertThat(folder.resolve("datadir")).doesNotExist();

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(run(named, "init-seeded --datadir " + datadir)).isEqualTo(ExitCode.OK);
        Path keys = Files.createDirectory(folder.resolve("keys"));
        assertThat(run(
                        Map.of("WALLETD_KEYSTORE_PASSPHRASE", "correct horse"),
                        "migrate --datadir " + datadir + " --from " + keys))
                .as(commands.err())
                .isEqualTo(ExitCode.OK);
        assertThat(run(
                        Map.of("WALLETD_KEYSTORE_PASSPHRASE", "another horse"),
                        "migrate --datadir " + datadir + " --from " + keys + " --passphrase-file " + file))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("different passphrases");
    }

    @Test
    void the_completion_script_completes_commands_and_options() throws Exception {
        assertThat(run("completion")).isEqualTo(ExitCode.OK);
        Path script = Files.writeString(folder.resolve("completion.bash"), commands.out());
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here");
        assertThat(completions(script, "chain-walletd --data")).contains("--datadir");
        assertThat(completions(script, "chain-walletd dev")).contains("devnet");
        assertThat(completions(script, "chain-walletd demo --qu")).contains("--quiet");
    }

    private static String completions(Path script, String line) throws Exception {
        return completions(script, "_complete_chain-walletd", line);
    }

    /** Returns the words that a function of a completion script offers for a partial line. */
    static String completions(Path script, String function, String line) throws Exception {
        Process bash = new ProcessBuilder(
                        "/bin/bash",
                        "--norc",
                        "-c",
                        ". '" + script + "'; read -r -a COMP_WORDS; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); " + function
                                + "; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .redirectErrorStream(true)
                .start();
        bash.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        bash.getOutputStream().close();
        return Await.output(bash);
    }

    private int run(String line) {
        return run(Map.of(), line);
    }

    /** @param line words with a space between them */
    private int run(Map<String, String> environment, String line) {
        return commands.run("", environment, line.split(" "));
    }
}
