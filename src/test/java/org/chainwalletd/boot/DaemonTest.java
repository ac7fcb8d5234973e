package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonTest {
    @TempDir
    Path folder;

    @Test
    void a_start_that_is_refused_overwrites_the_passphrase() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        Settings settings = SettingsLoader.load(Map.of(Option.DATADIR.flag(), file.toString()), Map.of(), folder)
                .settings();
        SecretBytes passphrase = SecretBytes.takeOver(new byte[] {1, 2, 3});

        assertThatThrownBy(() -> Daemon.start(settings, passphrase, line -> {}))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("is a file");
        assertThat(passphrase.isClosed()).isTrue();
    }

    @Test
    void a_heap_that_holds_no_events_of_the_account_chain_is_refused_for_swaps() {
        long least = AccountChain.LEAST_HEAP;
        assertThatCode(() -> StartupRefusals.roomForSwaps(least)).doesNotThrowAnyException();
        assertThatThrownBy(() -> StartupRefusals.roomForSwaps(least - 1))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("at least 288 MiB, and this process has 287")
                .hasMessageContaining("WALLETD_HEAP=512m");
    }

    /** Actors that access a file which is already closed would report a fault to operators at each stop. */
    @Test
    void the_files_are_closed_after_the_last_actor_has_ended() {
        LogCapture log = LogCapture.of(ShutdownSequence.class).at(Level.DEBUG);
        try (log) {
            DaemonRig.withChain(folder).close();
        }
        assertThat(log.messages())
                .containsSubsequence(
                        "stopping http",
                        "stopping keyring",
                        "stopping actors",
                        "stopping books",
                        "stopping store",
                        "stopping keys of the swap journal",
                        "stopping workers",
                        "stopping datadir lock")
                .noneMatch(line -> line.contains("failed"));
    }

    @Test
    void a_datadir_whose_keyring_is_gone_is_not_given_an_empty_one() throws Exception {
        SqliteStore.open(folder).close();
        Path wallets = folder.resolve("wallets");

        assertRefused("the keyring " + wallets + " is missing");
        assertThat(wallets).doesNotExist();

        // Mount point of a missing volume.
        Files.createDirectory(wallets);
        assertRefused("the keyring " + wallets + " is missing");
        assertThat(wallets).isEmptyDirectory();
    }

    @Test
    void the_first_store_is_made_after_the_first_keyring() throws Exception {
        Files.createFile(folder.resolve("wallets"));

        assertRefused(folder.resolve("wallets").toString());
        assertThat(folder.resolve(SqliteStore.FILE_NAME)).doesNotExist();
    }

    private void assertRefused(String message) throws Exception {
        Settings settings = SettingsLoader.load(
                        Map.of(Option.DATADIR.flag(), folder.toString(), Option.BIND.flag(), "127.0.0.1:0"),
                        Map.of(),
                        folder)
                .settings();
        SecretBytes passphrase = SecretBytes.takeOver(new byte[] {1, 2, 3});

        assertThatThrownBy(() -> Daemon.start(settings, passphrase, line -> {}))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(message);
    }
}
