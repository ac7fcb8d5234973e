package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Invalid input to every keyring method gets a specific error over HTTP and changes nothing (interface.md, sections 4.11 and 7.3). */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KeyringRefusalsIT {
    private static final String PASSPHRASE = DaemonProcess.PASSPHRASE;
    private static final String PHRASE = Vectors.text(Vectors.row("keys.json", "standard-80"), "mnemonic");
    private static final List<String> IMPORTS = List.of("import_mnemonic", "import_standard_mnemonic");
    private static final List<String> OF_ADDRESS =
            List.of("reveal_private_key", "reveal_address_mnemonic", "export_address", "delete_address");

    private static final int MINTS = 4;

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonProcess daemon;

    private static Path wallets;
    private static String address;
    private static String stateBefore;
    private static List<String> filesBefore;
    /** Vault of a single key, with the passphrase "v". */
    private static String vault;

    @BeforeAll
    static void start() throws IOException {
        daemon = LauncherCall.daemonWithDevnet(folder.resolve("datadir"))
                .manyKeys()
                .start();
        wallets = folder.resolve("datadir/wallets");
        address = daemon.call("generate_standard_address", Map.of("label", "kept"))
                .get("address")
                .textValue();
        remember();
        vault = daemon.call("export_vault", params("passphrase", "v"))
                .get("vault_hex")
                .textValue();
    }

    private static void remember() throws IOException {
        stateBefore = Files.readString(wallets.resolve("state.json"));
        filesBefore = sealed();
    }

    private static List<String> sealed() throws IOException {
        try (Stream<Path> files = Files.list(wallets.resolve("imported"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @AfterEach
    void nothing_has_changed() throws IOException {
        assertThat(Files.readString(wallets.resolve("state.json"))).isEqualTo(stateBefore);
        assertThat(sealed()).isEqualTo(filesBefore).contains(address + ".key.enc", address + ".mnemonic.enc");
    }

    private static WalletdException.RpcError refused(int code, String method, Object... members) {
        WalletdException.RpcError refusal = daemon.refusal(method, params(members));
        assertThat(refusal.code())
                .as(method + " " + Arrays.toString(members) + ": " + refusal.getMessage())
                .isEqualTo(code);
        return refusal;
    }

    @Test
    void phrases_of_another_length_are_refused_with_their_number_of_words() {
        String[] words = PHRASE.split(" ");
        for (String method : IMPORTS) {
            for (int count : new int[] {0, 1, 12, 15, 18, 21, 23}) {
                List<String> some = List.of(words).subList(0, count);
                assertThat(refused(-32602, method, "mnemonic", String.join(" ", some)))
                        .hasMessageContaining("24 words");
                refused(-32602, method, "mnemonic", some);
            }
            assertThat(refused(-32602, method, "mnemonic", PHRASE + " " + PHRASE))
                    .hasMessageContaining("48");
            refused(-32602, method, "mnemonic", "abandon ".repeat(100_000));
            refused(-32602, method);
            refused(-32602, method, "mnemonic", 24);
            refused(-32602, method, "mnemonic", Arrays.asList(1, 2));
        }
    }

    @Test
    void unknown_words_are_told_by_their_place_and_never_shown() {
        for (String method : IMPORTS) {
            String[] words = PHRASE.split(" ");
            words[2] = "abandom";
            words[22] = "zooo";
            assertThat(refused(-32602, method, "mnemonic", String.join(" ", words)))
                    .hasMessageContaining("word 3, word 23")
                    .message()
                    .doesNotContain("abandom", "zoo");
            words[2] = "пароль";
            assertThat(refused(-32602, method, "mnemonic", List.of(words))).hasMessageContaining("3");
        }
    }

    @Test
    void a_wrong_checksum_is_reported_as_such() {
        for (String method : IMPORTS) {
            assertThat(refused(-32602, method, "mnemonic", PHRASE.substring(0, PHRASE.lastIndexOf(' ')) + " zoo"))
                    .hasMessageContaining("checksum");
        }
    }

    @Test
    void secrets_of_another_length_or_alphabet_are_refused() {
        for (String secret : new String[] {
            "",
            "00",
            "01".repeat(31),
            "01".repeat(31) + "0",
            "01".repeat(32) + "0",
            "01".repeat(33),
            "0x" + "01".repeat(32),
            "0x" + "01".repeat(31),
            "zz".repeat(32),
            " " + "01".repeat(32),
            "01".repeat(1_000_000)
        }) {
            refused(-32602, "import_private_key", "private_key", secret);
        }
        refused(-32602, "import_private_key", "private_key", 1);
        refused(-32602, "import_private_key");
        refused(-32602, "import_private_key", "private_key", "01".repeat(32), "secret_hex", "01".repeat(32));
    }

    @Test
    void labels_that_are_absurd_are_refused_before_any_key_is_made() {
        String secret = "0123456789abcdef".repeat(4);
        for (Object label : new Object[] {
            "x".repeat(257),
            "ä".repeat(129),
            "x".repeat(1_000_000),
            "a\u0000b",
            "a\nb",
            "\u007f",
            "\u0085",
            5,
            List.of("a"),
            Map.of()
        }) {
            refused(-32602, "generate_standard_address", "label", label);
            refused(-32602, "generate_independent_address", "label", label);
            refused(-32602, "import_private_key", "private_key", secret, "label", label);
            refused(-32602, "import_mnemonic", "mnemonic", PHRASE, "label", label);
            refused(-32602, "import_standard_mnemonic", "mnemonic", PHRASE, "label", label);
        }
    }

    @Test
    void addresses_and_passphrases_of_another_shape_are_refused() {
        for (String method : OF_ADDRESS) {
            for (Object wrong : new Object[] {
                "", address.substring(1), address + "0", "0x" + address.substring(2), "g".repeat(64), 7
            }) {
                refused(-32602, method, "address", wrong, "passphrase", PASSPHRASE);
            }
            refused(-32602, method, "address", address);
            refused(-32602, method, "passphrase", PASSPHRASE);
            refused(-32602, method, "address", address, "passphrase", 1);
            refused(-32010, method, "address", "ab".repeat(32), "passphrase", PASSPHRASE);
        }
        refused(-32602, "delete_address", "address", address, "passphrase", PASSPHRASE, "force", "yes");
        refused(-32602, "export_vault", "passphrase", "");
        refused(-32602, "export_address", "address", address, "passphrase", "");
        refused(-32602, "export_vault");
        refused(-32602, "reveal_mnemonic", "passphrase", PASSPHRASE);
        refused(-32602, "generate_address");
    }

    @Test
    void a_key_that_is_there_is_not_imported_again() {
        JsonNode secret = daemon.call("reveal_private_key", params("address", address, "passphrase", PASSPHRASE));
        assertThat(refused(
                        -32011,
                        "import_private_key",
                        "private_key",
                        secret.get("secret_hex").textValue()))
                .hasMessageContaining(address);
        JsonNode words = daemon.call("reveal_address_mnemonic", params("address", address, "passphrase", PASSPHRASE));
        refused(-32011, "import_standard_mnemonic", "mnemonic", words.get("mnemonic"));
        assertThat(daemon.call("import_vault", params("vault_hex", vault, "passphrase", "v"))
                        .toString())
                .isEqualTo("{\"imported\":[]}");
    }

    @Test
    void vaults_that_are_cut_are_malformed_and_others_are_locked() throws IOException {
        for (int length : new int[] {0, 2, 8, 10, 66, 96}) {
            refused(-32602, "import_vault", "vault_hex", vault.substring(0, length), "passphrase", "v");
        }
        refused(-32602, "import_vault", "vault_hex", vault + "0", "passphrase", "v");
        refused(-32602, "import_vault", "vault_hex", "zz" + vault.substring(2), "passphrase", "v");
        refused(-32602, "import_vault", "vault_hex", "ff" + vault.substring(2), "passphrase", "v");
        assertThat(refused(
                        -32602,
                        "import_vault",
                        "vault_hex",
                        vault.substring(0, 8) + "02" + vault.substring(10),
                        "passphrase",
                        "v"))
                .hasMessageContaining("version");
        refused(-32602, "import_vault", "passphrase", "v");
        refused(-32602, "import_vault", "vault_hex", vault);

        List<String> locked = new ArrayList<>();
        byte[] otherRole = Files.readAllBytes(wallets.resolve("imported/" + address + ".key.enc"));
        locked.add(HexFormat.of().formatHex(otherRole));
        for (int at : new int[] {10, 42, 66, vault.length() - 2}) {
            char flipped = vault.charAt(at) == '0' ? '1' : '0';
            locked.add(vault.substring(0, at) + flipped + vault.substring(at + 1));
        }
        locked.add(vault.substring(0, vault.length() - 2));
        locked.add(vault + "00");
        for (int i = 0; i < locked.size(); i++) {
            refused(-32012, "import_vault", "vault_hex", locked.get(i), "passphrase", i == 0 ? PASSPHRASE : "v");
            // A third consecutive failure would be delayed.
            if (i % 2 == 1 || i == locked.size() - 1) {
                daemon.call("import_vault", params("vault_hex", vault, "passphrase", "v"));
            }
        }
    }

    @Test
    void wrong_passphrases_are_counted_apart_for_keystore_and_vault() {
        double keystore = daemon.metric("walletd_keyring_passphrase_failures_total{proved=\"keystore\"}");
        double vaults = daemon.metric("walletd_keyring_passphrase_failures_total{proved=\"vault\"}");
        for (int i = 0; i < 2; i++) {
            refused(-32012, "import_vault", "vault_hex", vault, "passphrase", "w");
            refused(-32012, "delete_address", "address", address, "passphrase", "w", "force", true);
        }
        daemon.call("import_vault", params("vault_hex", vault, "passphrase", "v"));
        daemon.call("reveal_private_key", params("address", address, "passphrase", PASSPHRASE));
        assertThat(daemon.metric("walletd_keyring_passphrase_failures_total{proved=\"keystore\"}"))
                .isEqualTo(keystore + 2);
        assertThat(daemon.metric("walletd_keyring_passphrase_failures_total{proved=\"vault\"}"))
                .isEqualTo(vaults + 2);
    }

    /** Runs last, because another daemon uses the same folder afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void mints_that_meet_share_writes_and_each_is_durable_when_it_is_answered() throws Exception {
        double writes = daemon.metric("walletd_keyring_state_writes_total");
        ExecutorService callers = Executors.newFixedThreadPool(MINTS);
        try {
            List<CompletableFuture<Void>> mints = new ArrayList<>();
            for (int i = 0; i < MINTS; i++) {
                mints.add(CompletableFuture.runAsync(KeyringRefusalsIT::mintDurably, callers));
            }
            mints.forEach(Await::result);
        } finally {
            callers.shutdownNow();
        }
        assertThat(daemon.metric("walletd_keyring_state_writes_total") - writes).isBetween(1.0, (double) MINTS);
        daemon.kill();
        remember();
        assertThat(filesBefore).hasSize(2 + MINTS);
        daemon = LauncherCall.daemonWithDevnet(folder.resolve("datadir")).start();
        assertThat(daemon.call("list_addresses", Map.of()).get("addresses")).hasSize(1 + MINTS);
        try (Stream<Path> files = Files.walk(wallets)) {
            for (Path path : files.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as(path.toString())
                        .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
            }
        }
    }

    private static void mintDurably() {
        String minted = daemon.call("generate_independent_address", Map.of("label", "m"))
                .get("address")
                .textValue();
        try {
            assertThat(Files.readString(wallets.resolve("state.json"))).contains(minted);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
