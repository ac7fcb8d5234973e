package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.payment;

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
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Meters used in alerts, and the rules, dashboard and manual that name them. */
@Tag("long")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MonitoringTest {
    private static final Path ALERTS = Path.of("conf/alerts.yml");
    private static final Pattern METER = Pattern.compile("(?:walletd|jvm)_[a-z_]+");

    /** Meters that this daemon does not serve from the start, with the reason. */
    private static final Map<String, String> LATER = Map.of(
            "walletd_balance_label_base_units", "a gauge by label, so the first label comes with the first key",
            "walletd_keeper_age_seconds", "of a daemon on a database: DaemonsOfDatabaseTest",
            "jvm_memory_used_bytes", "the process's own meters, which only the launcher's daemon registers");

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
            daemon.call("ping");
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
            named.removeAll(LATER.keySet());
            assertThat(named)
                    .isNotEmpty()
                    .allSatisfy(meter -> assertThat(served).contains(meter));
        }
    }

    @Test
    void what_an_increase_is_taken_of_is_served_from_zero() {
        try (DaemonRig daemon = new DaemonRig(folder, chain.uri())) {
            String served = daemon.metrics();
            for (String kind : List.of(
                    "transfer",
                    LockRequest.KIND,
                    ClaimRequest.KIND,
                    ReclaimRequest.KIND,
                    SweepStore.KIND,
                    StandIns.PAYOUT_BATCH,
                    StandIns.PAYOUT_RECALL,
                    StandIns.SWAP_LOCK,
                    StandIns.SWAP_INSTEAD_OF_LOCK)) {
                assertThat(served)
                        .contains("walletd_spend_outcomes_total{kind=\"" + kind + "\",outcome=\"confirmed\"} 0.0")
                        .contains("walletd_spend_outcomes_total{kind=\"" + kind + "\",outcome=\"reorganised\"} 0.0");
            }
            JsonNode methods = daemon.call("rpc.discover", Map.of()).path("methods");
            assertThat(methods).isNotEmpty();
            methods.forEach(method -> method.path("errors").forEach(error -> {
                String name = error.path("$ref").asText();
                int code = ErrorCode.valueOf(name.substring(name.lastIndexOf('/') + 1))
                        .code();
                assertThat(served)
                        .contains("walletd_rpc_errors_total{code=\"" + code + "\",method=\""
                                + method.path("name").asText() + "\"} 0.0");
            }));
            assertThat(served.length())
                    .as("the page stays small enough to be read every few seconds")
                    .isLessThan(150_000);
        }
    }

    @Test
    void what_comes_and_goes_is_in_the_meters_and_in_the_history_and_a_restart_reads_it_from_the_books() {
        // The timestamps of a young development chain are far in the past.
        chain.mine(200);
        try (DaemonRig daemon = new DaemonRig(folder, chain.uri())) {
            String shop = address(daemon, "shop");
            String till = address(daemon, "till");
            Await.until("the balance is read", () -> meter(daemon, "walletd_balance_base_units") == 0);
            chain.fund(Address.parse(shop), 5_000_000);
            chain.fund(Address.parse(shop), 7_000_000);
            chain.fund(Address.parse(till), 1_000);
            Await.until("the deposits are counted", () -> meter(daemon, "walletd_deposits_total") == 3);
            pay(daemon, shop, 1_000_000);
            Await.until("the payment is counted", () -> meter(daemon, "walletd_payments_total") == 1);
            chain.node().reorg(1);
            chain.mine(1);
            Await.until(
                    "the new branch is read",
                    () -> history(daemon).path("height").asLong()
                            == chain.node().tip().height());

            long total = daemon.call("get_wallet_balance").path("total").asLong();
            long paid = 12_001_000 - total;
            assertThat(paid).isBetween(1_000_001L, 1_010_000L);
            assertThat(meter(daemon, "walletd_balance_base_units")).isEqualTo(total);
            assertThat(meter(daemon, "walletd_balance_label_base_units{label=\"till\"}"))
                    .isEqualTo(1_000);
            assertThat(meter(daemon, "walletd_balance_unread_addresses")).isZero();
            assertThat(meter(daemon, "walletd_deposits_total"))
                    .as("what comes again in another block is counted once")
                    .isEqualTo(3);
            assertThat(meter(daemon, "walletd_deposits_base_units_total")).isEqualTo(12_001_000);
            assertThat(meter(daemon, "walletd_payments_total")).isEqualTo(1);
            assertThat(meter(daemon, "walletd_payments_base_units_total")).isEqualTo(paid);
            assertHistory(daemon, total, paid);
        }
        try (DaemonRig daemon = new DaemonRig(folder, chain.uri())) {
            Await.until(
                    "the books are read", () -> !history(daemon).path("steps").isEmpty());
            assertThat(meter(daemon, "walletd_deposits_total")).isZero();
            long total = daemon.call("get_wallet_balance").path("total").asLong();
            assertHistory(daemon, total, 12_001_000 - total);
            daemon.refused(-32602, "get_wallet_history", "hours", 25);
        }
    }

    private static String address(DaemonRig daemon, String label) {
        return daemon.call("generate_standard_address", "label", label)
                .path("address")
                .asText();
    }

    private void pay(DaemonRig daemon, String from, long amount) {
        daemon.call("transfer", payment(from, "ab".repeat(32), amount));
        chain.mine(1);
    }

    private static JsonNode history(DaemonRig daemon) {
        return daemon.call("get_wallet_history");
    }

    private static void assertHistory(DaemonRig daemon, long total, long paid) {
        JsonNode steps = history(daemon).path("steps");
        assertThat(sum(steps, "deposits")).isEqualTo(3);
        assertThat(sum(steps, "deposited")).isEqualTo(12_001_000);
        assertThat(sum(steps, "payments")).isEqualTo(1);
        assertThat(sum(steps, "paid")).isEqualTo(paid);
        assertThat(steps.path(steps.size() - 1).path("balance").asLong()).isEqualTo(total);
    }

    private static long sum(JsonNode steps, String part) {
        long sum = 0;
        for (JsonNode step : steps) {
            sum += step.path(part).asLong();
        }
        return sum;
    }

    /** Returns NaN if the meter is not served. */
    private static double meter(DaemonRig daemon, String name) {
        return daemon.metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
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
