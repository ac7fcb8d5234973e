package org.chainwalletd.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.InitSeeded;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final Hash256 OTHER = Hash256.parse("22".repeat(32));
    private static final BlockHeader FIRST =
            new BlockHeader(BlockHeader.VERSION, 0, Hash256.ZERO, 1_700_000_000, Difficulty.EASIEST, 0, OTHER, OTHER);
    private static final Hash256 GENESIS = FIRST.id();
    private static final Instant NOW = Instant.ofEpochSecond(2_000_000_000);

    @TempDir
    Path home;

    private final Map<String, String> flags = new HashMap<>(Map.of("--network", "devnet"));
    private final Map<String, CompletionStage<?>> answers = new HashMap<>(Map.of(
            "tip", CompletableFuture.completedFuture(new NodeClient.Tip(7, OTHER, GENESIS)),
            "info", CompletableFuture.completedFuture(new NodeClient.NodeInfo("1.14.0", "devnet", GENESIS, 7L, OTHER)),
            "balance", CompletableFuture.completedFuture(Amount.ZERO),
            "blockAt", CompletableFuture.completedFuture(Optional.of(block(NOW.getEpochSecond() - 60)))));

    private static NodeClient.BlockSummary block(long timestamp) {
        return new NodeClient.BlockSummary(OTHER, 7, GENESIS, OTHER, OTHER, timestamp, 0, OTHER, 0, List.of());
    }

    private static NodeClient.BlockSummary first() {
        return new NodeClient.BlockSummary(
                GENESIS, 0, Hash256.ZERO, OTHER, OTHER, 1_700_000_000, 0, Difficulty.EASIEST, 1, List.of());
    }

    private Settings settings() {
        return SettingsLoader.load(flags, Map.of(), home).settings();
    }

    private Path datadir() throws IOException {
        Path datadir = home.resolve(".chain-walletd");
        return Files.createDirectories(
                datadir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static void file(Path file, String content) throws IOException {
        Files.createDirectories(
                file.getParent(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private List<String> lines(Doctor.Check check) {
        return check.examine().stream().map(Finding::line).toList();
    }

    private List<String> nodeLines() {
        NodeClient client = Stub.of(
                NodeClient.class,
                call -> call.arguments().length > 0 && Long.valueOf(0).equals(call.arguments()[0])
                        ? CompletableFuture.completedFuture(Optional.of(first()))
                        : answers.get(call.name()));
        return lines(new NodeCheck(settings(), url -> client, Duration.ofMillis(200), InstantSource.fixed(NOW)));
    }

    @Test
    void the_exit_code_is_1_only_when_something_failed() {
        List<String> out = new ArrayList<>();
        assertThat(new Doctor(List.of(() -> List.of(Finding.ok("a", "b"))), out::add).examine())
                .isZero();
        assertThat(new Doctor(List.of(() -> List.of(Finding.warn("a", "b"))), out::add).examine())
                .isZero();
        assertThat(new Doctor(List.of(() -> List.of(Finding.fail("a", "b"))), out::add).examine())
                .isEqualTo(1);
        Doctor.Check broken = () -> {
            throw new IllegalStateException("broken");
        };
        assertThat(new Doctor(List.of(broken), out::add).examine()).isEqualTo(1);
        assertThat(out)
                .contains(
                        "ok    a: b", "all is well",
                        "warn  a: b", "0 failed, 1 warned",
                        "FAIL  a: b", "1 failed, 0 warned");
    }

    @Test
    void a_wrong_configuration_is_reported_and_gives_nothing_to_go_by() {
        ConfigurationCheck check = ConfigurationCheck.of(
                Set.of("--bind"), Map.of("--bind", "x"), Map.of("WALLETD_KEYSTORE_PASSPHRASE", "secret words"), home);
        assertThat(check.configuration()).isEmpty();
        assertThat(lines(check))
                .containsExactly(
                        "FAIL  configuration: --bind 'x' must be host:port, such as 127.0.0.1:7448 or [::1]:7448",
                        "ok    passphrase: WALLETD_KEYSTORE_PASSPHRASE is set; not tried, because the configuration cannot be loaded");
    }

    @Test
    void a_good_configuration_is_reported_with_its_origins_and_without_secrets() {
        ConfigurationCheck check = ConfigurationCheck.of(
                Set.of("--auth-token-read"),
                Map.of("--auth-token-read", "0123456789".repeat(4)),
                Map.of("WALLETD_TLS", "true"),
                home);
        assertThat(lines(check))
                .containsExactly(
                        "ok    configuration: no configuration file; --tls from variable WALLETD_TLS, "
                                + "--auth-token-read from flag --auth-token-read",
                        "warn  configuration: --auth-token-read stands on the command line, which everybody on this machine"
                                + " can read: use WALLETD_AUTH_TOKEN_READ, the configuration file or a file of its own",
                        "FAIL  passphrase: "
                                + Passphrase.problem(Map.of(), Optional.empty()).orElseThrow());
    }

    @Test
    void what_the_installed_package_says_is_no_flag() {
        Map<String, String> installed = Map.of("--datadir", home.toString(), "--tls", "true");
        assertThat(lines(ConfigurationCheck.of(Set.of("--tls"), installed, Map.of(), home))
                        .get(0))
                .contains("--datadir from the installed package", "--tls from flag --tls");
    }

    @Test
    void nothing_is_said_of_a_datadir_that_this_user_may_not_look_into() throws IOException {
        Path datadir = datadir();
        file(datadir.resolve("LOCK"), "");
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(datadir);
        Files.setPosixFilePermissions(datadir, Set.of());
        try {
            Assumptions.assumeFalse(Files.isReadable(datadir), "root may read everything");
            assertThat(lines(new DatadirCheck(settings())))
                    .hasSize(2)
                    .anyMatch(line -> line.startsWith("FAIL  datadir: "))
                    .anyMatch(line -> line.startsWith("warn  datadir: nothing in it was looked at"));
        } finally {
            Files.setPosixFilePermissions(datadir, before);
        }
    }

    @Test
    void a_datadir_that_is_not_there_is_fine_and_stays_away() {
        assertThat(lines(new DatadirCheck(settings()))).allMatch(line -> line.startsWith("ok"));
        assertThat(home.resolve(".chain-walletd")).doesNotExist();
    }

    @Test
    void a_sound_datadir_is_fine() throws IOException {
        Path datadir = datadir();
        String address = "ab".repeat(32);
        file(datadir.resolve("wallets/state.json"), "{\"imported\":[\"" + address + "\"],\"derived\":{}}");
        file(datadir.resolve("wallets/imported/" + address + ".key.enc"), "x");
        file(datadir.resolve("token-read"), "t\n");
        file(datadir.resolve("genesis"), GENESIS + "\n");
        file(datadir.resolve("LOCK"), "");
        assertThat(lines(new DatadirCheck(settings())))
                .allMatch(line -> line.startsWith("ok"))
                .contains(
                        "ok    keyring: 1 keys of their own, 0 derived",
                        "ok    lock: no daemon is running on the datadir",
                        "ok    genesis: pinned to " + GENESIS);
    }

    @Test
    void damage_in_the_datadir_is_named() throws IOException {
        Path datadir = datadir();
        file(datadir.resolve("wallets/state.json"), "{\"imported\":[\"" + "ab".repeat(32) + "\"]}");
        file(datadir.resolve("wallets/imported/" + "cd".repeat(32) + ".key.enc"), "x");
        file(datadir.resolve("token-spend"), "\n");
        file(datadir.resolve("genesis"), "nonsense");
        file(datadir.resolve("cert.pem"), "x");
        Files.setPosixFilePermissions(datadir.resolve("cert.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        flags.put("--tls", "true");
        assertThat(lines(new DatadirCheck(settings())))
                .anyMatch(line ->
                        line.startsWith("warn  datadir: others may use") && line.contains("cert.pem (rw-r--r--)"))
                .anyMatch(line -> line.startsWith("FAIL  keyring: 1 keys are listed") && line.contains("ab".repeat(32)))
                .anyMatch(line -> line.startsWith("warn  keyring: 1 key files are not listed"))
                .anyMatch(line -> line.startsWith("FAIL  token spend"))
                .anyMatch(line -> line.startsWith("FAIL  genesis"))
                .anyMatch(line -> line.startsWith("FAIL  certificate: cert.key, cert.fingerprint missing"));
        file(datadir.resolve("wallets/state.json"), "{");
        assertThat(lines(new DatadirCheck(settings())))
                .anyMatch(line -> line.startsWith("FAIL  keyring: ")
                        && line.endsWith("cannot be read; restore it from a backup"));
        Files.delete(datadir.resolve("wallets/state.json"));
        assertThat(lines(new DatadirCheck(settings())))
                .anyMatch(line -> line.startsWith("FAIL  keyring: ")
                        && line.contains("is missing although there are 1 key files"));
    }

    @Test
    void what_a_daemon_that_died_has_left_stays_as_it_is() throws IOException {
        file(datadir().resolve(DatadirLock.FILE), "");
        Path holder = datadir().resolve(DatadirLock.HOLDER_FILE);
        file(holder, "pid=1\n");

        assertThat(lines(new DatadirCheck(settings()))).contains("ok    lock: no daemon is running on the datadir");
        assertThat(holder).hasContent("pid=1");
    }

    @Test
    void a_running_daemon_is_noticed() throws IOException {
        try (DatadirLock running = DatadirLock.acquire(datadir())) {
            assertThat(running).isNotNull();
            assertThat(lines(new DatadirCheck(settings())))
                    .contains("warn  lock: a daemon is running on the datadir; a second one would refuse to start");
        }
    }

    @Test
    void a_sound_node_is_fine() {
        assertThat(nodeLines())
                .containsExactly(
                        "ok    node http://127.0.0.1:9334: answers; tip 7 " + OTHER,
                        "ok    node http://127.0.0.1:9334: genesis " + GENESIS + ", would be pinned",
                        "ok    node http://127.0.0.1:9334: version 1.14.0 on devnet",
                        "ok    node http://127.0.0.1:9334: has quota left for balance queries",
                        "ok    clock: the best block of node http://127.0.0.1:9334 is 60 s old");
    }

    @Test
    void a_node_that_does_not_answer_fails() {
        answers.put("tip", new CompletableFuture<>());
        assertThat(nodeLines()).singleElement().asString().startsWith("FAIL").contains("no answer within");
        answers.put("tip", CompletableFuture.failedFuture(new NodeException.Unreachable("connection refused")));
        assertThat(nodeLines())
                .singleElement()
                .asString()
                .startsWith("FAIL")
                .contains("connection refused", "--node-rpc");
    }

    @Test
    void the_node_that_the_daemon_brings_need_not_run_yet() {
        flags.put("--devnet", "true");
        answers.put("tip", CompletableFuture.failedFuture(new NodeException.Unreachable("connection refused")));
        assertThat(nodeLines())
                .containsExactly(
                        "ok    node http://127.0.0.1:9334: is not running; --devnet starts it with the daemon");
    }

    @Test
    void a_chain_without_work_that_nobody_calls_a_development_chain_fails() {
        flags.remove("--network");
        assertThat(nodeLines())
                .anyMatch(line -> line.startsWith("FAIL")
                        && line.contains("demands no work")
                        && line.contains("--network devnet"));
        flags.put("--expect-genesis", GENESIS.hex());
        assertThat(nodeLines()).allMatch(line -> line.startsWith("ok"));
    }

    @Test
    void a_node_of_another_chain_fails() {
        flags.put("--expect-genesis", OTHER.hex());
        assertThat(nodeLines()).anyMatch(line -> line.startsWith("FAIL") && line.contains("another chain"));
    }

    @Test
    void an_old_node_without_quota_is_warned_of() {
        answers.put("tip", CompletableFuture.completedFuture(new NodeClient.Tip(7, OTHER, null)));
        answers.put(
                "info", CompletableFuture.completedFuture(new NodeClient.NodeInfo("1.11.2", null, null, null, null)));
        answers.put(
                "balance",
                CompletableFuture.failedFuture(new NodeException.Rejected(-32603, "Rate limit exceeded: max 30")));
        assertThat(nodeLines())
                .filteredOn(line -> line.startsWith("warn"))
                .hasSize(3)
                .anyMatch(line -> line.contains("older than 1.13"))
                .anyMatch(line -> line.contains("no push stream"))
                .anyMatch(line -> line.contains("Rate limit exceeded"));
    }

    @Test
    void clocks_that_disagree_are_reported() {
        answers.put("blockAt", CompletableFuture.completedFuture(Optional.of(block(NOW.getEpochSecond() + 3_600))));
        assertThat(nodeLines()).anyMatch(line -> line.startsWith("FAIL  clock") && line.contains("1 h in the future"));
        answers.put("blockAt", CompletableFuture.completedFuture(Optional.of(block(-1))));
        assertThat(nodeLines()).anyMatch(line -> line.startsWith("FAIL  clock"));
        answers.put("blockAt", CompletableFuture.completedFuture(Optional.of(block(0))));
        assertThat(nodeLines()).anyMatch(line -> line.startsWith("warn  clock"));
    }

    @Test
    void a_port_in_use_fails_unless_a_daemon_runs_that_may_use_it() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            flags.put("--bind", "127.0.0.1:" + taken.getLocalPort());
            String listen = "  listen: --bind 127.0.0.1 port " + taken.getLocalPort();
            assertThat(lines(new MachineCheck(settings())))
                    .anyMatch(line -> line.startsWith("FAIL" + listen))
                    .anyMatch(line -> line.startsWith("ok    java: "));
            try (DatadirLock running = DatadirLock.acquire(datadir())) {
                assertThat(running).isNotNull();
                assertThat(lines(new MachineCheck(settings()))).anyMatch(line -> line.startsWith("warn" + listen));
            }
        }
    }

    @Test
    void more_memory_for_clients_than_nodes_can_spare_is_a_warning() {
        assertThat(lines(new MachineCheck(settings()))).noneMatch(line -> line.contains("--max-held-bytes"));
        flags.put("--max-held-bytes", Long.toString(Runtime.getRuntime().maxMemory()));

        assertThat(lines(new MachineCheck(settings())))
                .anyMatch(line -> line.startsWith("warn  memory: clients may use only ")
                        && line.endsWith("raise WALLETD_HEAP or lower --max-held-bytes"));
    }

    @Test
    void a_folder_or_file_that_others_may_change_fails_as_it_stops_the_start() throws IOException {
        Path datadir = datadir();
        file(datadir.resolve("token-read"), "t\n");
        file(datadir.resolve("wallets/state.json"), "{\"imported\":[],\"derived\":{}}");
        for (String open : List.of("", "token-read", "wallets", "wallets/state.json")) {
            Path path = open.isEmpty() ? datadir : datadir.resolve(open);
            Set<PosixFilePermission> before = Files.getPosixFilePermissions(path);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThat(lines(new DatadirCheck(settings())))
                    .as(open)
                    .anyMatch(line -> line.startsWith("FAIL  datadir: " + path.normalize())
                            && line.contains("can be changed by other users"));
            Files.setPosixFilePermissions(path, before);
        }
        assertThat(lines(new DatadirCheck(settings()))).allMatch(line -> line.startsWith("ok"));
    }

    @Test
    void a_datadir_of_another_chain_fails_as_it_stops_the_start() throws IOException {
        file(datadir().resolve("genesis"), GENESIS + "\n");
        flags.put("--expect-genesis", OTHER.hex());
        assertThat(lines(new DatadirCheck(settings())))
                .anyMatch(line -> line.startsWith("FAIL  datadir: --expect-genesis names " + OTHER));
    }

    @Test
    void the_passphrase_is_tried_on_the_keyring_and_nothing_is_changed() throws IOException {
        String none = passphrase("wrong");
        Path wallets = datadir().resolve("wallets");
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        KeyringSetup setup = KeyringSetup.offline(settings().chain(), wallets);
        new InitSeeded(setup, nowhere, nowhere)
                .run(SecretBytes.copyOf("right".getBytes(StandardCharsets.UTF_8)), Optional.empty());
        Path halfWritten = wallets.resolve("imported").resolve(".someone-writes.tmp");
        file(halfWritten, "x");

        assertThat(none)
                .isEqualTo(
                        "ok    passphrase: WALLETD_KEYSTORE_PASSPHRASE is set; not tried: there is no keyring yet, the first"
                                + " start makes one that it opens");
        assertThat(passphrase("wrong")).startsWith("FAIL  passphrase: wrong passphrase: the sealed file ");
        assertThat(passphrase("right"))
                .isEqualTo("ok    passphrase: WALLETD_KEYSTORE_PASSPHRASE is set; tried, it opens the keyring");
        assertThat(halfWritten).exists();
        Files.delete(wallets.resolve("state.json"));
        assertThat(passphrase("right")).startsWith("FAIL  passphrase: ").contains("state.json");
    }

    private String passphrase(String given) {
        List<String> found =
                lines(ConfigurationCheck.of(flags.keySet(), flags, Map.of("WALLETD_KEYSTORE_PASSPHRASE", given), home));
        return found.get(found.size() - 1);
    }
}
