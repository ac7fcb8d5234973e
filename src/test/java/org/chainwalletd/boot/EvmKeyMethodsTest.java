package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Methods for the account-chain key over HTTP, on a daemon without an account chain. */
@Tag("long")
@Timeout(120)
class EvmKeyMethodsTest {
    private static final String JUNK = "test test test test test test test test test test test junk";
    private static final String JUNK_ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    private static final String JUNK_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path datadir;

    @Test
    void a_key_is_made_revealed_replaced_and_deleted() {
        try (DaemonRig daemon = new DaemonRig(datadir, chain.uri())) {
            JsonNode none = daemon.call("evm_get_address");
            assertThat(none.toString()).isEqualTo("{\"address\":null,\"created\":false}");
            daemon.refused(-32013, "reveal_evm_private_key", passphrase());

            JsonNode made = daemon.call("evm_create_address");
            String first = made.get("address").asText();
            assertThat(first).matches("0x[0-9a-fA-F]{40}");
            assertThat(made.get("mnemonic")).hasSize(24);
            assertThat(daemon.call("evm_get_address").get("address").asText()).isEqualTo(first);
            assertThat(daemon.call("evm_reveal_mnemonic", passphrase()).get("mnemonic"))
                    .isEqualTo(made.get("mnemonic"));
            daemon.refused(-32012, "evm_reveal_mnemonic", Map.of("passphrase", "another"));

            daemon.refused(-32011, "evm_create_address", Map.of());
            daemon.refused(-32011, "evm_import_key", Map.of("private_key_hex", JUNK_KEY));
            daemon.refused(-32602, "evm_import_mnemonic", Map.of("mnemonic", JUNK, "overwrite", true));
            daemon.refused(-32602, "evm_delete_key", passphrase());

            JsonNode deleted = daemon.call("evm_delete_key", "passphrase", DaemonRig.PASSPHRASE, "force", true);
            assertThat(deleted.toString()).isEqualTo("{\"deleted\":\"" + first + "\"}");
            daemon.refused(-32013, "evm_delete_key", passphrase());

            assertThat(daemon.call("evm_import_mnemonic", "mnemonic", JUNK).toString())
                    .isEqualTo("{\"address\":\"" + JUNK_ADDRESS + "\"}");
            assertThat(daemon.call("reveal_evm_private_key", passphrase()).toString())
                    .isEqualTo("{\"address\":\"" + JUNK_ADDRESS + "\",\"private_key_hex\":\"" + JUNK_KEY + "\"}");
        }
    }

    private static Map<String, String> passphrase() {
        return Map.of("passphrase", DaemonRig.PASSPHRASE);
    }
}
