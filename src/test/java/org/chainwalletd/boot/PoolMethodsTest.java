package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.TwoChains;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Methods answered by the pool, over HTTP, with a running pool. */
@Timeout(120)
class PoolMethodsTest {
    @TempDir
    Path datadir;

    @Test
    void the_pools_price_is_reported_and_its_refusals_are_no_successes() {
        try (TwoChains chains = TwoChains.start();
                DaemonRig daemon = new DaemonRig(
                        datadir,
                        chains.chain().uri(),
                        "--swap-pool",
                        chains.poolUri().toString())) {
            JsonNode info = daemon.call("swap_pool_info");
            assertThat(info.get("fee_bps").isIntegralNumber()).isTrue();
            assertThat(info.get("max_swap_bps").longValue()).isEqualTo(10_000);
            assertThat(info.get("mid_price_native_per_chain").isTextual()).isTrue();
            assertThat(info.get("chain_reserve").textValue()).startsWith("200");
            assertThat(info.get("native_reserve").textValue()).startsWith("1000");

            JsonNode klines = daemon.call("swap_price_klines", "limit", 3);
            assertThat(klines.get("items")).hasSize(3);
            daemon.refused(-32602, "swap_price_klines", Map.of("limit", 501));
            daemon.refused(-32602, "swap_price_klines", Map.of("interval", "../x"));

            for (String method : List.of("lp_pool_info", "lp_position", "lp_deposit_start", "lp_withdraw_self")) {
                WalletdException.RpcError refusal = daemon.refused(method, lp(method));
                assertThat(refusal.code()).as(method).isEqualTo(-32020);
                assertThat(refusal).as(method).hasMessageContaining("takes no deposits");
            }
            daemon.refused(-32602, "lp_deposit_status", Map.of("id", "../pool"));
            daemon.refused(-32602, "lp_withdraw_self", Map.of("chain_address", "ab".repeat(32), "shares", "-1"));

            chains.pool().close();
            daemon.refused(-32020, "swap_pool_info", Map.of());
            assertThat(daemon.refused("swap_list", Map.of())).hasMessageContaining("swap not configured");
        }
    }

    private static Map<String, ?> lp(String method) {
        return switch (method) {
            case "lp_pool_info" -> Map.of();
            case "lp_position" -> Map.of("address", "ab".repeat(32));
            case "lp_deposit_start" -> Map.of("chain_address", "ab".repeat(32), "evm_address", "0x" + "cd".repeat(20));
            default -> Map.of("chain_address", "ab".repeat(32), "shares", "1.5");
        };
    }

    @Test
    void a_file_that_is_no_certificate_stops_the_start() throws Exception {
        Path pem = Files.writeString(datadir.resolve("pool.pem"), "no certificate");
        try (TwoChains chains = TwoChains.start()) {
            assertThatThrownBy(() -> new DaemonRig(
                                    datadir.resolve("data"),
                                    chains.chain().uri(),
                                    "--swap-pool",
                                    "https://127.0.0.1:1",
                                    "--swap-pool-ca",
                                    pem.toString())
                            .close())
                    .isInstanceOf(StartupException.class)
                    .hasMessageContaining("--swap-pool-ca")
                    .hasMessageContaining(pem.toString());
        }
    }
}
