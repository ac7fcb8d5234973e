package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The systemd units: their hardening, and that they differ only in paths. */
class ServiceUnitTest {
    private static final Path SYSTEMD = Path.of("/usr/bin/systemd-analyze");
    private static final String SAMPLE = "conf/chain-walletd.service";
    private static final String DEBIAN = "src/main/deb/chain-walletd.service";
    private static final Pattern EXPOSURE = Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");

    @Test
    void both_units_differ_in_paths_only() throws Exception {
        assertThat(settings(SAMPLE)
                        .replace("/opt/chain-walletd/conf/logback.xml", "LOGBACK")
                        .replace("/opt/", "/LIB/"))
                .isEqualTo(settings(DEBIAN)
                        .replace("/etc/chain-walletd/logback.xml", "LOGBACK")
                        .replace("/usr/lib/jvm/default-java", "/usr/lib/jvm/java-17-openjdk-amd64")
                        .replace("--config /etc/chain-walletd/walletd.conf ", "")
                        .replace("/usr/lib/chain", "/LIB/chain"));
    }

    @ParameterizedTest
    @ValueSource(strings = {SAMPLE, DEBIAN})
    void the_passphrase_is_a_credential_and_memory_goes_to_no_disk(String unit) throws Exception {
        assertThat(settings(unit).lines())
                .contains("LoadCredential=passphrase:/etc/chain-walletd/passphrase")
                .anyMatch(line -> line.startsWith("ExecStart=") && line.endsWith(" --passphrase-file %d/passphrase"))
                .contains("MemorySwapMax=0", "LimitCORE=1", "IPAddressDeny=any", "LogsDirectory=chain-walletd")
                .contains("StandardOutput=null", "StandardError=journal")
                .anyMatch(line -> line.startsWith("Environment=JAVA_HOME=/"))
                .noneMatch(line -> line.startsWith("EnvironmentFile") || line.contains("KEYSTORE_PASSPHRASE"));
    }

    @ParameterizedTest
    @ValueSource(strings = {SAMPLE, DEBIAN})
    void nothing_is_left_open_that_a_server_on_a_jvm_can_do_without(String unit) throws Exception {
        assumeTrue(Files.isExecutable(SYSTEMD), "no systemd here");
        Process analyze = new ProcessBuilder(SYSTEMD.toString(), "security", "--offline=true", "--no-pager", unit)
                .redirectErrorStream(true)
                .start();
        String report = Await.output(analyze);
        Matcher exposure = EXPOSURE.matcher(report);
        assumeTrue(exposure.find(), "a systemd that cannot look at a file");

        assertThat(Double.parseDouble(exposure.group(1))).as(report).isLessThanOrEqualTo(1.2);
    }

    private static String settings(String unit) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(unit));
        return String.join(
                "\n", lines.stream().filter(line -> !line.startsWith("#")).toList());
    }
}
