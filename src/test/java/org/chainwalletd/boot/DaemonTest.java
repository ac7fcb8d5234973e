package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;
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
}
