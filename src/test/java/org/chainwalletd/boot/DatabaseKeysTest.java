package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.testkit.DaemonRig.params;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.TestDatabase;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole daemon whose keys are in a PostgreSQL database: its start, and a database that is away. */
class DatabaseKeysTest {
    private static final String KEY_ROWS =
            "SELECT (SELECT count(*) FROM keys) + (SELECT count(*) FROM sealed) + (SELECT count(*) FROM keyring)";

    @TempDir
    Path folder;

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() throws IOException {
        database.close();
    }

    private Path datadir() {
        return folder.resolve("datadir");
    }

    private DaemonRig daemon() {
        return new DaemonRig(datadir(), ScriptedNode.refusing(), database.flags(folder));
    }

    private static String mint(DaemonRig daemon) {
        return daemon.call("generate_standard_address", Map.of())
                .path("address")
                .asText();
    }

    @Test
    void a_wrong_passphrase_is_refused_before_the_keys_of_the_wallet_directory_are_entered() throws Exception {
        Path earlier = folder.resolve("earlier");
        String address;
        try (DaemonRig before = new DaemonRig(earlier, ScriptedNode.refusing())) {
            address = mint(before);
        }
        // As a datadir whose payments were in the database before its keys.
        Files.createDirectory(datadir());
        Files.move(earlier.resolve("wallets"), datadir().resolve("wallets"));
        SecretBytes wrong = SecretBytes.takeOver("mistyped".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Daemon.start(
                        DaemonRig.settings(datadir(), ScriptedNode.refusing(), database.flags(folder)),
                        wrong,
                        line -> {},
                        DaemonRig.COST))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("-32012 keystore locked: wrong passphrase");
        assertThat(wrong.isClosed()).isTrue();
        assertThat(database.number(KEY_ROWS)).isZero();
        assertThat(datadir().resolve("wallets")).exists();
        assertThat(datadir().resolve("wallets-moved")).doesNotExist();

        try (DaemonRig after = daemon()) {
            assertThat(after.call("sign_message", params("address", address, "message", "mine"))
                            .path("signature")
                            .asText())
                    .isNotEmpty();
        }
        assertThat(datadir().resolve("wallets")).doesNotExist();
    }
}
