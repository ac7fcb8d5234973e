package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.cli.ExitCode;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.HangUp;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The POSIX launcher: works from any directory, chooses the right JDK, and passes arguments unchanged; {@link LauncherArchiveIT} tests its archive
 * of classes.
 */
@Tag("long")
class LauncherIT {
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    /** Bits of {@code /proc/PID/coredump_filter} for anonymous memory: private and shared, also in huge pages. */
    private static final int ANONYMOUS_MEMORY = 0x63;

    @TempDir
    static Path shared;

    /** Copy of the package in a folder whose name has spaces and quotes. */
    private static Path moved;

    @TempDir
    Path folder;

    @BeforeAll
    static void movePackage() {
        moved = Folders.copy(LauncherCall.packageFolder(), shared.resolve("my \"wallet\" folder's copy"));
    }

    @Test
    void is_valid_for_the_plainest_shell() throws Exception {
        Path script = LauncherCall.packageFolder().resolve("bin/chain-walletd");
        for (String shell : List.of("/bin/sh", "/bin/dash", "/bin/bash")) {
            if (Files.isExecutable(Path.of(shell))) {
                Process check = new ProcessBuilder(shell, "-n", script.toString())
                        .redirectErrorStream(true)
                        .start();
                assertThat(Await.output(check)).as(shell).isEmpty();
                assertThat(Await.exit(check)).as(shell).isZero();
            }
        }
    }

    @Test
    void is_found_through_links_from_any_folder() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("usr/bin"));
        Path absolute = Files.createSymbolicLink(bin.resolve("absolute"), moved.resolve("bin/chain-walletd"));
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path relative = Files.createSymbolicLink(elsewhere.resolve("relative"), Path.of("../usr/bin/absolute"));
        Path chained = Files.createSymbolicLink(folder.resolve("chained"), Path.of("elsewhere/relative"));
        Path linkedFolder = Files.createSymbolicLink(folder.resolve("package"), moved);
        Path told = javaThatTellsItsWords();
        for (Path launcher : List.of(absolute, relative, chained, linkedFolder.resolve("bin/chain-walletd"))) {
            List<String> words =
                    words(LauncherCall.words("--version").launcher(launcher).from(elsewhere), told);
            assertThat(words).contains("-Dchainwalletd.home=" + moved.toRealPath());
            assertThat(words.get(words.indexOf("-cp") + 1).split(":"))
                    .allSatisfy(jar -> assertThat(Path.of(jar)).isRegularFile())
                    .hasSizeGreaterThan(10);
        }
        Launchers.answersVersion(
                LauncherCall.words("--version").launcher(Path.of("./chained")).from(folder));
    }

    @Test
    void serves_from_a_folder_with_spaces_and_quotes() {
        Path datadir = folder.resolve("my data's \"folder\"");
        // Without an existing archive, a second process would make one at the same time.
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir)
                .launcher(moved.resolve("bin/chain-walletd"))
                .with("WALLETD_ARCHIVE", "off")
                .from(folder)
                .start()) {
            assertThat(daemon.call("ping", Map.of()).path("ok").asBoolean()).isTrue();
            assertThat(daemon.stop()).isZero();
        }
    }

    /** Runs without a JDK: a call that needs one ends with a line that says so. */
    @Test
    void answers_plain_calls_without_a_jvm_as_with_one() {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here");
        Path datadir = folder.resolve("datadir of calls");
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir).start()) {
            for (List<String> call : List.of(
                    List.of("generate_standard_address", "label=shop", "--scope", "manage"),
                    List.of("ping"),
                    List.of("list_addresses", "--raw"),
                    List.of("get_block_by_height", "1"),
                    List.of("get_wallet_balance", "utxos=true"))) {
                List<String> words = new ArrayList<>(List.of("rpc", "--datadir", datadir.toString()));
                words.addAll(call);
                Commands.Ended briefly = LauncherCall.words(words.toArray(String[]::new))
                        .with("JAVA_HOME", "/nowhere")
                        .run();
                assertThat(briefly.code()).as("%s: %s", call, briefly.errors()).isZero();
                if (!call.contains("manage")) {
                    words.addAll(List.of("--output", "json"));
                    Commands.Ended whole =
                            LauncherCall.words(words.toArray(String[]::new)).run();
                    assertThat(briefly.output()).isEqualTo(whole.output()).isNotEmpty();
                }
            }
            Commands.Ended refused = LauncherCall.words(
                            "rpc", "get_block_by_height", "99999", "--datadir", datadir.toString())
                    .run();
            assertThat(refused.code()).isEqualTo(7);
            assertThat(refused.errors()).singleElement().asString().contains("error -32020");

            Commands.Ended stopped =
                    LauncherCall.words("stop", "--datadir", datadir.toString()).run();
            assertThat(stopped.code()).isZero();
            assertThat(stopped.output()).singleElement().asString().contains("stopped the daemon on " + datadir);
            assertThat(daemon.exitCode()).isZero();
        }
        assertThat(datadir.resolve("DAEMON")).doesNotExist();
    }

    @Test
    void honours_java_home() throws IOException {
        Commands.Ended ended = LauncherCall.words("--version")
                .with("JAVA_HOME", Launchers.JAVA_OF_THIS_TEST.toString())
                .run();
        assertThat(ended.output()).singleElement().asString().contains("Java " + Runtime.version());

        Path none = Files.createDirectory(folder.resolve("no jdk"));
        oneLine(
                LauncherCall.words("--version").with("JAVA_HOME", none.toString()),
                FAILED,
                none + ", which has no bin/java");

        Path old = folder.resolve("jdk8");
        Path java = Files.createDirectories(old.resolve("bin")).resolve("java");
        Launchers.script(java, "#!/bin/sh\necho 'openjdk version \"1.8.0_292\"' >&2\n");
        oneLine(LauncherCall.words("--version").with("JAVA_HOME", old.toString()), FAILED, "older than 17");
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
        oneLine(LauncherCall.words("--version").with("JAVA_HOME", old.toString()), FAILED, "older than 17");
    }

    @Test
    void finds_a_jdk_when_java_home_is_not_set() {
        assumeTrue(!Launchers.jdks().isEmpty(), "no JDK in the usual place");
        Launchers.answersVersion(LauncherCall.words("--version").without("JAVA_HOME"));
    }

    @Test
    void passes_arguments_unchanged() throws IOException {
        String all = "two words, it's \"quoted\" * $HOME `id` \\ ;&|\ty";
        Commands.Ended ended = LauncherCall.words("--bind=" + all).run();
        assertThat(ended.code()).isEqualTo(USAGE);
        assertThat(ended.errors().get(0)).contains("'" + all.replace("\t", "\\t") + "'");

        String[] each = {"two words", "it's \"quoted\"", "* $HOME `id` \\ ;&|", "", "-x\ty", "two\nlines", "%s"};
        List<String> words = words(LauncherCall.words(each), javaThatTellsItsWords());
        assertThat(words).endsWith(each);
        assertThat(words.get(words.size() - each.length - 1)).isEqualTo("org.chainwalletd.Main");
    }

    /** Returns the home of a fake JDK that prints its arguments and does nothing else. */
    private Path javaThatTellsItsWords() throws IOException {
        Path home = folder.resolve("told");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Launchers.script(java, "#!/bin/sh\nprintf '%s\\0' \"$@\"\n");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        return home;
    }

    /** Returns the arguments that the launcher passes to such a JDK. */
    private static List<String> words(LauncherCall call, Path home) {
        Commands.Ended ended = call.with("JAVA_HOME", home.toString())
                .with("WALLETD_ARCHIVE", "off")
                .run();
        assertThat(ended.errors()).isEmpty();
        assertThat(ended.code()).isZero();
        List<String> words = List.of(String.join("\n", ended.output()).split("\0", -1));
        return words.subList(0, words.size() - 1);
    }

    /** A service without a locale opens the same keys as the shell that made them, and no other passphrase opens them. */
    @Test
    void reads_passphrase_arguments_and_paths_as_utf8_whatever_the_locale() throws IOException {
        Path datadir = folder.resolve("datadir");
        String address;
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir)
                .launcher(inLocale("C", "\u043f\u0430\u0440\u043e\u043b\u044c"))
                .start()) {
            address = daemon.call("generate_standard_address", Map.of())
                    .path("address")
                    .asText();
            assertThat(daemon.stop()).isZero();
        }
        Commands.Ended other = LauncherCall.daemonWithDevnet(datadir)
                .launcher(inLocale("C", "\u043f\u0430\u0440\u043e\u043b\u044a"))
                .run();
        assertThat(other.code()).isEqualTo(FAILED);
        assertThat(String.join("\n", other.errors())).contains("-32012");
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir)
                .launcher(inLocale("C.UTF-8", "\u043f\u0430\u0440\u043e\u043b\u044c"))
                .start()) {
            assertThat(daemon.call("list_addresses", Map.of()).toString()).contains(address);
        }
    }

    /**
     * Returns the launcher started by a shell that sets locale and passphrase; the shell passes bytes on unchanged, whatever the locale of the
     * tests is.
     */
    private Path inLocale(String locale, String passphrase) throws IOException {
        return Launchers.script(
                Files.createTempFile(folder, "in-locale", ""),
                "#!/bin/sh\nunset LANG LC_CTYPE\nLC_ALL=" + locale + " WALLETD_KEYSTORE_PASSPHRASE='" + passphrase
                        + "' exec '" + LauncherCall.packageFolder().toAbsolutePath() + "/bin/chain-walletd' \"$@\"\n");
    }

    @Test
    void calls_a_daemon_with_tls_through_what_its_datadir_tells() {
        Path datadir = folder.resolve("datadir");
        try (DaemonProcess daemon =
                LauncherCall.daemonWithDevnet(datadir).and("--tls").start()) {
            String port = String.valueOf(daemon.awaitReady().getPort());
            Commands.Ended answered = rpc(datadir, port, "ping").run();
            assertThat(answered.errors()).isEmpty();
            assertThat(String.join("", answered.output())).contains("\"ok\" : true");
            oneLine(
                    rpc(datadir, port, "ping").with("WALLETD_FINGERPRINT", "sha256:" + "0".repeat(64)),
                    ExitCode.WRONG_CERTIFICATE,
                    "not the pinned one");
            oneLine(rpc(datadir, port, "ping", "[1]"), USAGE, "no JSON object but array");
        }
    }

    private static LauncherCall rpc(Path datadir, String port, String... words) {
        return LauncherCall.words("rpc")
                .and(words)
                .and("--datadir", datadir.toString(), "--bind", "127.0.0.1:" + port, "--tls");
    }

    @Test
    void leaves_nothing_of_its_memory_behind_when_it_crashes() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/coredump_filter")), "no such kernel");
        Path work = Files.createDirectory(folder.resolve("work"));
        for (String signal : List.of("SEGV", "ABRT")) {
            try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(folder.resolve(signal))
                    .from(work)
                    .start()) {
                Path process = Path.of("/proc", Long.toString(daemon.pid()));
                // Pages of files, which the JVM adds automatically, contain no data of ours.
                int kinds = Integer.parseInt(
                        Files.readString(process.resolve("coredump_filter")).strip(), 16);
                assertThat(kinds & ANONYMOUS_MEMORY).isZero();
                // A limit of one byte also applies to cores that are piped to a program; where it cannot be set, no
                // core is written.
                assertThat(Files.readString(process.resolve("limits")))
                        .containsPattern("Max core file size +(1 +1|0 +0) +bytes");

                daemon.signal(signal);

                assertThat(daemon.exitCode()).isNotZero();
            }
            assertThat(work).as("working folder after " + signal).isEmptyDirectory();
        }
    }

    @Test
    void does_not_start_without_its_audit_trail() throws IOException {
        Path taken = Files.createDirectory(folder.resolve("taken"));
        Path sample = LauncherCall.packageFolder().resolve("conf/logback.xml").toAbsolutePath();
        LauncherCall daemon = LauncherCall.daemonWithDevnet(folder.resolve("datadir"));
        Commands.Ended ended = daemon.with("WALLETD_LOGBACK", sample.toString())
                .with("WALLETD_AUDIT_FILE", taken.toString())
                .run();
        assertThat(ended.code()).isEqualTo(FAILED);
        assertThat(String.join("\n", ended.errors()))
                .contains("WALLETD_LOGBACK")
                .doesNotContain("means nothing");
        assertThat(folder.resolve("datadir")).doesNotExist();
        assertThat(daemon.with("WALLETD_LOGBACK", "/nowhere.xml").run().code()).isEqualTo(FAILED);
    }

    @Test
    void tells_what_it_can_do() {
        Commands.Ended help = LauncherCall.words("--help").run();
        assertThat(help.code()).isZero();
        assertThat(help.errors()).isEmpty();
        assertThat(String.join("\n", help.output())).contains("--node-rpc", "--datadir", "devnet", "demo", "rpc");
        oneLine(LauncherCall.words("--frobnicate"), USAGE, "--frobnicate");
    }

    @Test
    void takes_new_token_files_at_hang_up_and_ends_with_zero_at_term() throws IOException {
        HangUp.assumeHeard();
        Path datadir = folder.resolve("datadir");
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir).start()) {
            String before = daemon.token("read");
            assertThat(answers(daemon, before)).isTrue();
            Commands.Ended rotated = LauncherCall.words("token", "rotate", "read", "--datadir", datadir.toString())
                    .run();
            assertThat(rotated.code()).isZero();
            String after = rotated.output().get(0);
            assertThat(datadir.resolve("token-read")).hasContent(after + "\n");
            daemon.signal("HUP");
            Await.until("the new token is taken", () -> answers(daemon, after));
            assertThat(answers(daemon, before)).as("the token before").isFalse();

            String unsaid = LauncherCall.words("token", "rotate", "read", "--datadir", datadir.toString())
                    .run()
                    .output()
                    .get(0);
            Await.until("a new token is taken without a signal", () -> answers(daemon, unsaid));

            assertThat(daemon.stop()).isZero();
            assertThat(daemon.errors()).noneMatch(line -> line.contains(" ERROR "));
        }
    }

    private static boolean answers(DaemonProcess daemon, String token) {
        try {
            return daemon.clientWith(token).call("ping", Map.of()).path("ok").asBoolean();
        } catch (WalletdException.RpcError refused) {
            assertThat(refused.code()).isEqualTo(-32001);
            return false;
        }
    }

    private static void oneLine(LauncherCall call, int code, String hint) {
        assertThat(Launchers.refused(call.run(), code, hint).output()).isEmpty();
    }
}
