package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arguments that the launcher passes to the JVM, recorded by a program in its place. */
@Timeout(120)
class LauncherScriptTest {
    private static final Map<String, String> SECRETS = Map.of(
            "WALLETD_KEYSTORE_PASSPHRASE", "a secret",
            "WALLETD_AUTH_TOKEN_SPEND", "a secret too",
            "WALLETD_INDEXER_TOKEN", "another secret",
            "WALLETD_STORE_PASSWORD", "the database's secret");

    @TempDir
    Path folder;

    private Path launcher;

    @BeforeEach
    void layOut() throws IOException {
        launcher = program("app/bin/chain-walletd", Files.readString(Path.of("src/main/launcher/chain-walletd")));
        Files.createDirectories(folder.resolve("app/lib"));
        program("jdk/bin/java", """
                #!/bin/sh
                for word in "$@"; do
                  case $word in -XX:ArchiveClassesAtExit=*) : >"${word#*=}"; heard=maker ;; esac
                done
                { env; printf '%s\\n' "$@"; cat /proc/self/limits /proc/$$/coredump_filter; } >"$HEARD.${heard:-daemon}"
                """);
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    }

    @Test
    void no_crash_leaves_memory_behind() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/coredump_filter")), "no such kernel");
        launch(Map.of("WALLETD_ARCHIVE", "off"));

        assertThat(heard("daemon"))
                .contains("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null", "-XX:-DumpReplayDataOnError")
                .containsPattern("Max core file size +(1 +1|0 +0) +bytes")
                .endsWith("00000000\n");
    }

    @Test
    void only_commands_that_are_soon_over_are_compiled_in_haste() throws Exception {
        launch(Map.of("WALLETD_ARCHIVE", "off"), ":", "rpc ping");
        assertThat(heard("daemon")).contains("-XX:TieredStopAtLevel=1", "-Xmx");

        launch(Map.of("WALLETD_ARCHIVE", "off"), ":", "--datadir rpc");
        assertThat(heard("daemon")).doesNotContain("-XX:TieredStopAtLevel");
    }

    /** Otherwise the tour's payments would be in the audit trail, and the passphrase in one more process. */
    @Test
    void the_maker_of_the_archive_gets_neither_secrets_nor_the_files_of_the_log() throws Exception {
        Map<String, String> variables = new HashMap<>(SECRETS);
        variables.put("WALLETD_ARCHIVE", "now");
        variables.put("WALLETD_LOGBACK", "/etc/own-logback.xml");
        variables.put("WALLETD_AUDIT_FILE", "/var/log/own-audit.log");
        launch(variables);

        assertThat(heard("maker")).contains("demo").doesNotContain("secret", "own-logback", "own-audit");
        assertThat(heard("daemon")).contains("a secret too", "/etc/own-logback.xml");
    }

    @Test
    void nobody_else_can_write_the_archive_whatever_the_umask_is() throws Exception {
        launch(Map.of("WALLETD_ARCHIVE", "now"), "umask 0");

        assertThat(permissions(cache())).isEqualTo("rwx------");
        assertThat(permissions(archive())).isEqualTo("rw-------");
        launch(Map.of());
        assertThat(heard("daemon")).contains("-XX:SharedArchiveFile=" + archive());
        assertThat(folder.resolve("output")).isEmptyFile();
    }

    @ParameterizedTest
    @CsvSource({"rw-rw----, rwx------", "rw----rw-, rwx------", "rw-------, rwxrwx---", "rw-------, rwxrwxrwx"})
    void an_archive_that_others_could_have_written_is_recreated_instead_of_used(String ofArchive, String ofFolder)
            throws Exception {
        launch(Map.of("WALLETD_ARCHIVE", "now"));
        Path archive = archive();
        Files.writeString(archive, "of somebody else");
        Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString(ofArchive));
        Files.setPosixFilePermissions(cache(), PosixFilePermissions.fromString(ofFolder));

        launch(Map.of("WALLETD_ARCHIVE", "now"));

        assertThat(heard("daemon")).doesNotContain("SharedArchiveFile");
        assertThat(folder.resolve("output")).content().contains(archive + " or its folder: it is not used");
        assertThat(permissions(cache())).isEqualTo("rwx------");
        assertThat(permissions(archive)).isEqualTo("rw-------");
        assertThat(archive).isEmptyFile();
        launch(Map.of());
        assertThat(heard("daemon")).contains("-XX:SharedArchiveFile=" + archive);
    }

    private Path cache() {
        return folder.resolve("app/.cache");
    }

    private Path archive() throws IOException {
        try (Stream<Path> files = Files.list(cache())) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private void launch(Map<String, String> variables) throws Exception {
        launch(variables, ":");
    }

    /** @param before shell commands that run first */
    private void launch(Map<String, String> variables, String before) throws Exception {
        launch(variables, before, "");
    }

    private void launch(Map<String, String> variables, String before, String words) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", before + "; exec " + launcher + " " + words)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().putAll(variables);
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("HEARD", folder.resolve("heard").toString());
        assertThat(Await.exit(builder.start())).isZero();
    }

    private String heard(String by) throws IOException {
        return Files.readString(folder.resolve("heard." + by));
    }

    private Path program(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
