package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scripts of the Debian package, with their paths moved into a folder of the test. */
@Timeout(60)
class DebianScriptsTest {
    private static final Path CONTROL = Path.of("src/main/deb/control");

    @TempDir
    Path root;

    private Path datadir;

    @BeforeEach
    void install() throws IOException {
        datadir = Files.createDirectories(root.resolve("var/lib/chain-walletd"));
        Files.createDirectories(datadir.resolve("wallets/imported"));
        Files.writeString(datadir.resolve("wallets/check.enc"), "proves the passphrase");
        Files.writeString(datadir.resolve("token-read"), "t");
        for (String folder : List.of("var/cache/chain-walletd", "var/log/chain-walletd", "etc/chain-walletd")) {
            Files.writeString(Files.createDirectories(root.resolve(folder)).resolve("file"), "x");
        }
        Files.move(root.resolve("etc/chain-walletd/file"), root.resolve("etc/chain-walletd/passphrase"));
        for (String name : List.of("getent", "deluser", "systemctl")) {
            Path tool = Files.createDirectories(root.resolve("bin")).resolve(name);
            Files.writeString(tool, "#!/bin/sh\necho \"" + name + " $*\" >>'" + root + "/ran'\n");
            Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void a_purge_removes_everything_that_was_made_when_there_is_no_key() throws Exception {
        run("postrm", "purge");

        assertThat(datadir).doesNotExist();
        assertThat(root.resolve("var/cache/chain-walletd")).doesNotExist();
        assertThat(root.resolve("var/log/chain-walletd")).doesNotExist();
        assertThat(root.resolve("etc/chain-walletd")).doesNotExist();
        assertThat(root.resolve("ran")).content().contains("deluser");
    }

    @Test
    void a_purge_keeps_keys_and_what_they_need() throws Exception {
        Path key = Files.writeString(datadir.resolve("wallets/imported/aa.key.enc"), "sealed");

        String told = run("postrm", "purge");

        assertThat(told).contains("has keys: it stays");
        assertThat(key).exists();
        assertThat(root.resolve("etc/chain-walletd/passphrase")).exists();
        assertThat(root.resolve("var/log/chain-walletd/file")).exists();
        assertThat(root.resolve("var/cache/chain-walletd")).doesNotExist();
        assertThat(root.resolve("ran")).doesNotExist();
    }

    @Test
    void a_removal_and_an_upgrade_keep_everything() throws Exception {
        for (String action : List.of("remove", "upgrade", "failed-upgrade", "abort-install", "disappear")) {
            run("postrm", action);
        }
        assertThat(datadir.resolve("token-read")).exists();
        assertThat(root.resolve("etc/chain-walletd/passphrase")).exists();
        assertThat(root.resolve("var/cache/chain-walletd/file")).exists();
    }

    @Test
    void a_daemon_that_ran_is_stopped_for_an_upgrade_and_started_after_it() throws Exception {
        Files.createDirectories(root.resolve("run/systemd/system"));
        run("prerm", "upgrade", "0.2.0");
        assertThat(root.resolve("ran")).content().contains("systemctl stop chain-walletd");
        Files.delete(root.resolve("ran"));

        run("postinst", "configure", "0.1.0");
        assertThat(root.resolve("ran")).content().contains("systemctl start chain-walletd");
        Files.delete(root.resolve("ran"));

        run("postinst", "configure", "0.1.0");
        assertThat(root.resolve("ran")).content().doesNotContain("systemctl start");
    }

    private String run(String script, String... words) throws Exception {
        String text = Files.readString(CONTROL.resolve(script))
                .replaceAll("(?<![a-z])/(var|etc|run)/", "'" + root + "'/$1/")
                .replace("install -d -o walletd -g walletd", "install -d");
        Path moved = Files.writeString(root.resolve(script), text);
        List<String> command = new ArrayList<>(List.of("sh", "-e", moved.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("told").toFile());
        builder.environment().put("PATH", root.resolve("bin") + ":" + System.getenv("PATH"));
        assertThat(Await.exit(builder.start())).as("%s", root.resolve("told")).isZero();
        return Files.readString(root.resolve("told"));
    }
}
