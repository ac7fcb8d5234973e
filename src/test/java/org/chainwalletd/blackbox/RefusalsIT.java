package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.Consumer;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that cannot succeed ends immediately with one line of instructions, changes nothing, and succeeds once the cause is removed. */
@Tag("long")
class RefusalsIT {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    @TempDir
    static Path shared;

    /** Datadir with one key, tokens, a store and a development chain, as a stopped daemon leaves it. */
    private static Path used;

    @TempDir
    Path folder;

    @BeforeAll
    static void useADatadir() {
        used = shared.resolve("used");
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(used).start()) {
            daemon.call("generate_independent_address", Map.of("label", "kept"));
            daemon.nodeCall("devnet_mine", Map.of("blocks", 2));
            assertThat(daemon.stop()).isZero();
        }
    }

    @Test
    void without_a_passphrase_nothing_is_made() {
        Path datadir = folder.resolve("datadir");
        refused(
                LauncherCall.daemon(datadir).without("WALLETD_KEYSTORE_PASSPHRASE"),
                FAILED,
                "WALLETD_KEYSTORE_PASSPHRASE is not set");
        Launchers.refused(
                LauncherCall.daemon(datadir)
                        .with("WALLETD_KEYSTORE_PASSPHRASE", "")
                        .runHere(),
                FAILED,
                "is not set");
        assertThat(datadir).doesNotExist();
    }

    @Test
    void another_passphrase_is_refused_before_any_socket_is_bound_and_with_the_first_it_serves_alone() {
        Path datadir = copyOfUsed();
        Map<String, String> before = Folders.listing(datadir);
        Commands.Ended ended = refused(
                LauncherCall.daemonWithDevnet(datadir).with("WALLETD_KEYSTORE_PASSPHRASE", "incorrect horse"),
                FAILED,
                "-32012");
        assertThat(ended.output()).noneMatch(line -> line.contains("ready on"));
        assertThat(Folders.listing(datadir)).isEqualTo(before);
        try (DaemonProcess first = LauncherCall.daemonWithDevnet(datadir).start()) {
            hasItsKey(first);
            refused(LauncherCall.daemonWithDevnet(datadir), FAILED, "another process is using the datadir");
            assertThat(first.call("ping", Map.of()).path("ok").asBoolean()).isTrue();
            assertThat(first.stop()).isZero();
        }
    }

    @Test
    void a_wrong_command_line_is_usage_and_makes_nothing() {
        Path datadir = folder.resolve("datadir");
        refused(LauncherCall.daemon(datadir).and("--no-such-flag"), USAGE, "--no-such-flag");
        misused(LauncherCall.daemon(datadir).and("no-such-command"), "no-such-command");
        misused(LauncherCall.daemon(datadir).and("--node-rpc", "ftp://127.0.0.1"), "--node-rpc");
        misused(LauncherCall.daemon(datadir).with("WALLETD_MAX_BATCH", "many"), "WALLETD_MAX_BATCH");
        misused(LauncherCall.daemon(datadir).and("--auth-token-spend", ""), "--auth-token-spend is empty");
        misused(LauncherCall.words("--bind", "0.0.0.0:0", "--datadir", datadir.toString()), "--bind 0.0.0.0");
        assertThat(datadir).doesNotExist();
    }

    @Test
    void a_folder_that_is_no_datadir_is_left_alone() throws IOException {
        Path foreign = Files.createDirectory(folder.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.tex"), "years of work");
        Map<String, String> before = Folders.listing(foreign);
        refused(LauncherCall.daemon(foreign), FAILED, "holds files but no keyring");
        assertThat(Folders.listing(foreign)).isEqualTo(before);

        Files.delete(foreign.resolve("thesis.tex"));
        try (DaemonRig daemon = new DaemonRig(foreign, ScriptedNode.refusing())) {
            assertThat(daemon.call("ping", Map.of()).path("ok").asBoolean()).isTrue();
        }
    }

    @Test
    void a_place_where_no_datadir_can_be_is_named() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        refused(LauncherCall.daemon(file), FAILED, file + " is a file");
        refusedHere(file.resolve("below"), "cannot be made");
        assertThat(file).hasContent("not a folder");

        Path nowhere = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));
        refusedHere(nowhere, nowhere + " is a link to nothing");
        assertThat(folder.resolve("gone")).doesNotExist();

        refusedHere(Path.of("/proc/walletd"), "/proc/walletd", "--datadir");
    }

    @Test
    void an_address_that_is_in_use_is_found_before_the_datadir_is_made() throws IOException {
        Path datadir = folder.resolve("datadir");
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String taken = "127.0.0.1:" + other.getLocalPort();
            String port = "port " + other.getLocalPort();
            refused(LauncherCall.words("--datadir", datadir.toString(), "--bind", taken), FAILED, port, "--bind");
            Settings metrics = DaemonRig.settings(datadir, ScriptedNode.refusing(), "--metrics-bind", taken);
            refusedHere(metrics, port, "--metrics-bind");
            refused(
                    LauncherCall.daemon(datadir).and("--devnet", "--devnet-bind", taken),
                    FAILED,
                    port,
                    "--devnet-bind");
            refused(LauncherCall.devnet(datadir, other.getLocalPort()), FAILED, port, "--devnet-bind");
        }
        assertThat(datadir).doesNotExist();
    }

    @Test
    void a_damaged_file_is_named_and_never_replaced() throws IOException {
        Path datadir = copyOfUsed();
        Consumer<Path> launched = file -> refused(LauncherCall.daemonWithDevnet(datadir), FAILED, file.toString());
        Consumer<Path> here = file -> refusedHere(datadir, file.toString());
        refusedWhileDamaged(datadir, "wallets/state.json", "{\"next_index\": 0, \"derived\"", launched);
        refusedWhileDamaged(datadir, "token-read", "", here);
        refusedWhileDamaged(datadir, "genesis", "not an id\n", here);
        refusedWhileDamaged(datadir, "walletd.db", "this was a database once".repeat(500), launched);
        refusedWhileDamaged(datadir, "devnet/blocks.log", "this was a chain once".repeat(500), launched);
        servesWithItsKey(datadir);
    }

    /** Overwrites a file of a datadir, asserts that the start is refused and changes nothing, and restores the file. */
    private static void refusedWhileDamaged(Path datadir, String name, String content, Consumer<Path> refused)
            throws IOException {
        Path file = datadir.resolve(name);
        byte[] good = Files.readAllBytes(file);
        Files.writeString(file, content, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
        Map<String, String> before = Folders.listing(datadir);
        refused.accept(file);
        assertThat(Folders.listing(datadir)).as("after the refusal of " + name).isEqualTo(before);
        Files.write(file, good);
    }

    private Path copyOfUsed() {
        return Folders.copy(used, folder.resolve("copy-" + System.nanoTime()));
    }

    /** Runs in this process; the first refusal has shown how a process ends with the program's code. */
    private static void misused(LauncherCall call, String hint) {
        Launchers.refused(call.runHere(), USAGE, hint);
    }

    private static void refusedHere(Path datadir, String... hints) {
        refusedHere(DaemonRig.settings(datadir, ScriptedNode.refusing()), hints);
    }

    /** Runs in this process: a daemon that cannot start reports only the reason to the program. */
    private static void refusedHere(Settings settings, String... hints) {
        SecretBytes passphrase = SecretBytes.takeOver(DaemonProcess.PASSPHRASE.getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Daemon.start(settings, passphrase, line -> {}))
                .isInstanceOf(StartupException.class)
                .message()
                .contains(hints)
                .doesNotContain("\n");
    }

    private static Commands.Ended refused(LauncherCall call, int code, String... hints) {
        return Launchers.refused(call.run(), code, hints);
    }

    private static void servesWithItsKey(Path datadir) {
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir).start()) {
            hasItsKey(daemon);
            assertThat(daemon.stop()).isZero();
        }
    }

    private static void hasItsKey(DaemonProcess daemon) {
        assertThat(daemon.call("list_addresses", Map.of())
                        .path("addresses")
                        .path(0)
                        .path("label")
                        .asText())
                .isEqualTo("kept");
    }
}
