package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InvocationTest {
    @TempDir
    Path folder;

    private Path home;
    private Path installed;
    private Path datadir;

    @BeforeEach
    void install() throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
        installed = Files.writeString(folder.resolve("walletd.conf"), "walletd.http.bind = \"127.0.0.1:7555\"\n");
        datadir = folder.resolve("lib");
    }

    private Settings of(Map<String, String> flags, Map<String, String> environment) {
        Map<String, String> found =
                new Invocation(flags, Map.of(), List.of(), environment, null).flagsOfDaemon(home, installed, datadir);
        return SettingsLoader.load(found, environment, home).settings();
    }

    private Map<String, String> withPassphrase(Map<String, String> flags, Map<String, String> environment) {
        return new Invocation(flags, Map.of(), List.of(), environment, null)
                .flagsWithPassphrase(home, installed, datadir);
    }

    @Test
    void the_installed_daemons_passphrase_file_is_used_unless_a_passphrase_is_given_or_another_daemon_is_meant()
            throws IOException {
        assertThat(withPassphrase(Map.of(), Map.of())).doesNotContainKey("--passphrase-file");
        Path passphrase = Files.writeString(folder.resolve("passphrase"), "correct horse");
        assertThat(withPassphrase(Map.of(), Map.of()))
                .containsEntry("--config", installed.toString())
                .containsEntry("--passphrase-file", passphrase.toString());
        assertThat(withPassphrase(Map.of(), Map.of("WALLETD_KEYSTORE_PASSPHRASE", "other")))
                .doesNotContainKey("--passphrase-file");
        assertThat(withPassphrase(Map.of("--passphrase-file", "mine"), Map.of()))
                .containsEntry("--passphrase-file", "mine");
        Map<String, String> named = Map.of("--datadir", folder.toString());
        assertThat(withPassphrase(named, Map.of())).isEqualTo(named);
        Map<String, String> wrong = Map.of("--bind", "nowhere");
        assertThat(withPassphrase(wrong, Map.of())).isEqualTo(wrong);
    }

    @Test
    void the_installed_daemon_is_found_when_nothing_names_another() {
        Settings found = of(Map.of(), Map.of());
        assertThat(found.datadir()).isEqualTo(datadir);
        assertThat(found.http().listening().bind().getPort()).isEqualTo(7555);
    }

    @Test
    void a_named_datadir_and_one_in_the_users_home_come_first() throws IOException {
        Path named = folder.resolve("named");
        assertThat(of(Map.of("--datadir", named.toString()), Map.of()).datadir())
                .isEqualTo(named);

        Path own = Files.createDirectory(home.resolve(".chain-walletd"));
        assertThat(of(Map.of(), Map.of()).datadir()).isEqualTo(own);
    }

    @Test
    void without_an_installed_daemon_the_users_own_is_meant() throws IOException {
        Files.delete(installed);
        assertThat(of(Map.of(), Map.of()).datadir()).isEqualTo(home.resolve(".chain-walletd"));
    }
}
