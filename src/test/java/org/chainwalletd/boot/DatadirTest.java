package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon and the datadir that only it may use. */
class DatadirTest {
    @TempDir
    Path folder;

    private Settings settings() {
        return DaemonRig.settings(folder.resolve("datadir"), ScriptedNode.refusing());
    }

    private Daemon start() {
        return DaemonRig.start(settings());
    }

    @Test
    void what_others_may_change_stops_the_start() throws IOException {
        start().close();
        Path datadir = folder.resolve("datadir");
        for (String name : List.of("", "wallets", "wallets/state.json", "walletd.db", "token-spend", "LOCK")) {
            for (String mode : List.of("rwx-w----", "rwx----w-")) {
                Path file = datadir.resolve(name);
                var before = Files.getPosixFilePermissions(file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
                assertThatThrownBy(this::start)
                        .isInstanceOf(StartupException.class)
                        .hasMessageContaining(file + " can be changed by other users")
                        .hasMessageContaining("chmod");
                Files.setPosixFilePermissions(file, before);
            }
        }
        start().close();
    }

    @Test
    void a_configured_token_that_must_not_be_used_stops_the_start_before_anything_is_made() {
        Path datadir = folder.resolve("datadir");
        for (String token : List.of("abcdefghijklmno", "x".repeat(1_025))) {
            Settings settings = DaemonRig.settings(datadir, ScriptedNode.refusing(), "--auth-token-spend", token);
            assertThatThrownBy(() -> DaemonRig.start(settings))
                    .isInstanceOf(StartupException.class)
                    .hasMessageContaining("the configured spend token ");
            assertThat(datadir).doesNotExist();
        }
    }

    @Test
    void a_configuration_that_others_may_change_stops_the_start() throws IOException {
        Path file = Files.writeString(folder.resolve("walletd.conf"), "walletd.http.max-batch = 9\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        Map<String, String> flags = Map.of("--config", file.toString());
        assertThatThrownBy(() -> SettingsLoader.load(flags, Map.of(), folder))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(file + " can be changed by other users");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(SettingsLoader.load(flags, Map.of(), folder)
                        .settings()
                        .http()
                        .batches()
                        .maxItems())
                .isEqualTo(9);
    }

    /** The second daemon does not know the keys that the first one has created since, and would write a list without them. */
    @Test
    void a_daemon_whose_lock_was_taken_away_acknowledges_no_key_and_ends() throws IOException {
        Path datadir = folder.resolve("datadir");
        try (Daemon first = start()) {
            String token = Files.readString(datadir.resolve("token-spend")).strip();
            WalletdClient client = new WalletdClient(first.uri(), token, Optional.empty(), Duration.ofSeconds(20));
            Files.delete(datadir.resolve("LOCK"));
            try (Daemon second = start()) {
                assertThatThrownBy(() -> client.call("generate_standard_address", Map.of()))
                        .isInstanceOf(WalletdException.class)
                        .hasMessageContaining("LOCK was removed");
                Await.until(
                        "the first daemon gives up",
                        () -> first.gaveUp().toCompletableFuture().isDone());
                assertThat(second.gaveUp().toCompletableFuture()).isNotDone();
            }
        }
    }

    /** A chain that the datadir has been used on. */
    private Devnet usedOnce() throws IOException {
        Devnet devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(3));
        try (DaemonRig daemon = new DaemonRig(folder, devnet.uri())) {
            daemon.awaitPinned(folder);
        }
        return devnet;
    }

    private void assertRefused(Devnet devnet, String words, String... flags) {
        assertThatThrownBy(() -> new DaemonRig(folder, devnet.uri(), flags))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(words);
    }

    @Test
    void a_store_that_is_gone_is_not_made_anew_unless_the_operator_says_so() throws IOException {
        try (Devnet devnet = usedOnce()) {
            Files.delete(folder.resolve("walletd.db"));
            Files.deleteIfExists(folder.resolve("walletd.db-wal"));
            Files.deleteIfExists(folder.resolve("walletd.db-shm"));

            assertRefused(devnet, "is missing although this datadir has worked with one");
            assertThat(folder.resolve("walletd.db")).doesNotExist();

            try (DaemonRig daemon = new DaemonRig(folder, devnet.uri(), "--store-restored", "true")) {
                assertThat(daemon.call("get_status")).isNotNull();
            }
            assertRefused(devnet, "start without --store-restored", "--store-restored", "true");
        }
    }

    @Test
    void an_expected_chain_that_is_not_the_pinned_one_is_refused() throws IOException {
        try (Devnet devnet = usedOnce()) {
            String pinned = devnet.genesisId().hex();

            assertRefused(devnet, pinned, "--expect-genesis", "ab".repeat(32));

            try (DaemonRig daemon = new DaemonRig(folder, devnet.uri(), "--expect-genesis", pinned)) {
                assertThat(daemon.call("get_status")).isNotNull();
            }
        }
    }
}
