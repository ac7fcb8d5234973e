package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Every keyring method over HTTP (interface.md, section 4.11). */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KeyringIT {
    private static final String PASSPHRASE = DaemonProcess.PASSPHRASE;
    private static final String SECRET = "0123456789abcdef".repeat(4);
    private static final String SEED_PHRASE = Vectors.text(Vectors.row("keys.json", "hd-0-abandon-art"), "mnemonic");

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonProcess daemon;

    /** Daemon with a seed; its keys are numbered from 0 in the order of the tests. */
    @AutoClose
    private static DaemonProcess seeded;

    @BeforeAll
    static void start() throws IOException {
        daemon = LauncherCall.daemonWithDevnet(folder.resolve("shared"))
                .manyKeys()
                .start();
        Path datadir = folder.resolve("seeded");
        Path file = Files.writeString(folder.resolve("words"), SEED_PHRASE + "\n");
        Commands.Ended made = LauncherCall.words(
                        "--datadir", datadir.toString(), "init-seeded", "--mnemonic-file", file.toString())
                .run();
        assertThat(made.code()).isZero();
        assertThat(made.output()).containsExactly("{\"mnemonic\": \"" + SEED_PHRASE + "\"}");
        assertThat(LauncherCall.words("init-seeded", "--datadir", datadir.toString())
                        .runHere()
                        .code())
                .isNotZero();
        seeded = LauncherCall.daemonWithDevnet(datadir).manyKeys().start();
    }

    private static JsonNode call(String method, Object... members) {
        return daemon.call(method, params(members));
    }

    private static int refusal(String method, Object... members) {
        return daemon.refusal(method, params(members)).code();
    }

    private static List<String> members(JsonNode object) {
        Iterable<String> names = object::fieldNames;
        return StreamSupport.stream(names.spliterator(), false).sorted().toList();
    }

    private static String words(JsonNode revealed) {
        return String.join(
                " ",
                StreamSupport.stream(revealed.get("mnemonic").spliterator(), false)
                        .map(JsonNode::textValue)
                        .toList());
    }

    private static JsonNode entry(String address) {
        for (JsonNode entry : call("list_addresses").get("addresses")) {
            if (entry.get("address").textValue().equals(address)) {
                return entry;
            }
        }
        return null;
    }

    @Test
    @Order(1)
    void minted_keys_have_the_shapes_of_the_interface() {
        for (String method : List.of("generate_standard_address", "generate_independent_address")) {
            JsonNode minted = call(method, "label", "für Müller");
            assertThat(members(minted)).containsExactly("address", "imported", "pubkey");
            assertThat(minted.get("imported").booleanValue()).isTrue();
            String address = minted.get("address").textValue();
            assertThat(entry(address).toString())
                    .isEqualTo("{\"address\":\"" + address + "\",\"label\":\"für Müller\",\"imported\":true}");
            JsonNode revealed = call("reveal_address_mnemonic", "address", address, "passphrase", PASSPHRASE);
            assertThat(members(revealed)).containsExactly("address", "mnemonic");
            assertThat(revealed.get("mnemonic")).hasSize(24);
        }
    }

    @Test
    void imported_secrets_and_phrases_come_back_as_they_were() {
        JsonNode imported = withoutProgress(call("import_private_key", "private_key", SECRET, "label", "mine"));
        assertThat(members(imported)).containsExactly("address", "imported", "pubkey");
        String address = imported.get("address").textValue();
        JsonNode revealed = call("reveal_private_key", "address", address, "passphrase", PASSPHRASE);
        assertThat(revealed.toString())
                .isEqualTo("{\"address\":\"" + address + "\",\"secret_hex\":\"" + SECRET + "\"}");
        assertThat(refusal("import_private_key", "secret_hex", SECRET)).isEqualTo(-32011);

        JsonNode standard = Vectors.row("keys.json", "standard-80");
        String phrase = Vectors.text(standard, "mnemonic");
        assertThat(call("import_standard_mnemonic", "mnemonic", " " + phrase.replace(" ", "\n\t"))
                        .get("address")
                        .textValue())
                .isEqualTo(Vectors.text(standard, "address"));
        assertThat(call("import_mnemonic", "mnemonic", Arrays.asList(phrase.split(" ")))
                        .get("address")
                        .textValue())
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "independent-80"), "address"));
        assertThat(words(call(
                        "reveal_address_mnemonic",
                        "address",
                        Vectors.text(standard, "address"),
                        "passphrase",
                        PASSPHRASE)))
                .isEqualTo(phrase);
    }

    /** Uses few keys: each one needs an Argon2id computation there to be opened, and one here to be sealed. */
    @Test
    @Order(2)
    void a_vault_moves_keys_to_another_daemon_with_phrases_and_labels() {
        String one = call("generate_standard_address", "label", "moves")
                .get("address")
                .textValue();
        String phrase = words(call("reveal_address_mnemonic", "address", one, "passphrase", PASSPHRASE));
        JsonNode single = call("export_address", "address", one, "passphrase", "pässwörd");
        assertThat(members(single)).containsExactly("address", "vault_hex");
        JsonNode vault = call("export_vault", "passphrase", "pässwörd");
        assertThat(members(vault)).containsExactly("vault_hex");
        int keys = call("list_addresses").get("addresses").size();
        assertThat(withoutProgress(seeded.call(
                                "import_vault",
                                params("vault_hex", single.get("vault_hex").textValue(), "passphrase", "pässwörd")))
                        .toString())
                .isEqualTo("{\"imported\":[\"" + one + "\"]}");
        assertThat(seeded.call(
                                "import_vault",
                                params("vault_hex", vault.get("vault_hex").textValue(), "passphrase", "pässwörd"))
                        .get("imported"))
                .hasSize(keys - 1);
        assertThat(words(seeded.call("reveal_address_mnemonic", params("address", one, "passphrase", PASSPHRASE))))
                .isEqualTo(phrase);
    }

    @Test
    void a_key_is_deleted_only_when_nothing_is_lost() {
        String address = call("generate_standard_address").get("address").textValue();
        Wallet wallet = new Wallet(daemon, daemon);
        wallet.fund(address, 100_000);
        assertThat(daemon.refusal("delete_address", params("address", address, "passphrase", PASSPHRASE)))
                .hasMessageContaining("confirmed balance of 100000")
                .satisfies(error -> assertThat(error.code()).isEqualTo(-32602));
        assertThat(entry(address)).isNotNull();
        assertThat(call("delete_address", "address", address, "passphrase", PASSPHRASE, "force", true)
                        .toString())
                .isEqualTo("{\"deleted\":\"" + address + "\"}");
        assertThat(entry(address)).isNull();
        assertThat(refusal("delete_address", "address", address, "passphrase", PASSPHRASE))
                .isEqualTo(-32010);

        String empty = call("generate_independent_address").get("address").textValue();
        assertThat(call("delete_address", "address", empty, "passphrase", PASSPHRASE)
                        .get("deleted")
                        .textValue())
                .isEqualTo(empty);
    }

    @Test
    void tokens_of_a_lower_scope_are_refused() {
        assertThat(DaemonProcess.refusal(daemon.client("read"), "generate_standard_address", Map.of())
                        .code())
                .isEqualTo(-32001);
        assertThat(DaemonProcess.refusal(daemon.client("manage"), "export_vault", params("passphrase", "v"))
                        .code())
                .isEqualTo(-32001);
    }

    @Test
    @Order(1)
    void a_seeded_keyring_derives_the_addresses_of_its_phrase() {
        for (int index = 0; index < 3; index++) {
            JsonNode row = Vectors.row("keys.json", "hd-" + index + "-abandon-art");
            assertThat(withoutProgress(seeded.call("generate_address", params("label", "n" + index)))
                            .toString())
                    .isEqualTo("{\"address\":\"" + Vectors.text(row, "address") + "\",\"pubkey\":\""
                            + Vectors.text(row, "public_key") + "\",\"index\":" + index + "}");
        }
        assertThat(seeded.call("list_addresses", Map.of())
                        .get("addresses")
                        .get(1)
                        .toString())
                .isEqualTo("{\"address\":\""
                        + Vectors.text(Vectors.row("keys.json", "hd-1-abandon-art"), "address")
                        + "\",\"index\":1,\"label\":\"n1\",\"imported\":false}");
        assertThat(words(seeded.call("reveal_mnemonic", params("passphrase", PASSPHRASE))))
                .isEqualTo(SEED_PHRASE);
    }

    /** Runs last: for a second after it, the right passphrase is refused too. */
    @Test
    @Order(Integer.MAX_VALUE)
    void wrong_passphrases_are_slowed_down() {
        Map<String, Object> wrong = params("passphrase", "wrong");
        for (int i = 0; i < 3; i++) {
            assertThat(seeded.refusal("reveal_mnemonic", wrong).code()).isEqualTo(-32012);
        }
        var refused = seeded.refusal("reveal_mnemonic", params("passphrase", PASSPHRASE));
        assertThat(refused.code()).isEqualTo(-32042);
        assertThat(refused.data().toString()).isEqualTo("{\"retryable\":true,\"retry_after_secs\":1}");
    }

    /** Removes the progress of reading the chain for a key, which depends on when it is queried. */
    private static JsonNode withoutProgress(JsonNode result) {
        return ((ObjectNode) result).without("rescan_blocks_left");
    }
}
