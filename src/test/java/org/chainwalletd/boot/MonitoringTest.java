package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The meters that operators are woken by, and the rules, dashboard and manual that name them. */
@Timeout(120)
class MonitoringTest {
    private static final Path ALERTS = Path.of("conf/alerts.yml");
    private static final Pattern METER = Pattern.compile("(?:walletd|jvm)_[a-z_]+");

    /** Meters that appear with the first event that they count, or with the process's own figures. */
    private static final List<String> LATER = List.of(
            "walletd_spend_contradicted_total",
            "walletd_spend_outcomes_total",
            "walletd_rpc_errors_total",
            "jvm_memory_used_bytes");

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    @Test
    void every_meter_of_the_rules_and_the_dashboard_is_served() throws IOException {
        try (DaemonRig daemon = new DaemonRig(folder, chain.uri(), "--spend-cap-per-period", "500000")) {
            Await.until(
                    "the chain is followed",
                    () -> daemon.metrics().contains("walletd_follower_tip_age_seconds ")
                            && !daemon.metrics().contains("walletd_ready{check=\"follower\"} 0"));
            daemon.call("ping", Map.of());
            String served = daemon.metrics();
            assertThat(served)
                    .contains("walletd_ready{check=\"nodes\"} 1", "walletd_ready{check=\"spending\"} 1")
                    .contains("walletd_follower_lag_blocks 0")
                    .contains("walletd_spend_oldest_unconfirmed_seconds 0")
                    .contains("walletd_spend_allowance_left 500000");
            List<String> named = new ArrayList<>(metersIn(Files.readString(ALERTS)));
            JsonNode dashboard =
                    new ObjectMapper().readTree(Path.of("conf/dashboard.json").toFile());
            dashboard.findValuesAsText("expr").forEach(expression -> named.addAll(metersIn(expression)));
            named.removeAll(LATER);
            assertThat(named)
                    .isNotEmpty()
                    .allSatisfy(meter -> assertThat(served).contains(meter));
        }
    }

    private static List<String> metersIn(String text) {
        return METER.matcher(text).results().map(MatchResult::group).toList();
    }

    @Test
    void every_alert_has_its_line_in_the_manual() throws IOException {
        String manual = Files.readString(Path.of("src/site/markdown/operations.md"));
        List<String> alerts = Pattern.compile("alert: (\\w+)")
                .matcher(Files.readString(ALERTS))
                .results()
                .map(alert -> alert.group(1))
                .toList();
        assertThat(alerts)
                .hasSizeGreaterThan(5)
                .allSatisfy(alert -> assertThat(manual).contains("| `" + alert + "` | "));
    }

    @Test
    void promtool_takes_the_rules_where_it_is_installed() throws Exception {
        Assumptions.assumeTrue(
                List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "promtool"))),
                "promtool is installed");
        Process promtool = new ProcessBuilder("promtool", "check", "rules", ALERTS.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(promtool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(promtool.exitValue()).isZero();
    }
}
