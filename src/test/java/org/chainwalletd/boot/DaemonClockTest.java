package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A daemon on a machine whose clock is wrong: all of its parts report the same time. */
@Timeout(120)
class DaemonClockTest {
    private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");
    private static final long FIVE_MINUTES = 300;

    @TempDir
    private Path datadir;

    @Test
    void every_answer_tells_the_time_of_the_one_clock() throws Exception {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
                DaemonRig daemon = DaemonRig.over(chain, Clock.fixed(NOW, ZoneOffset.UTC), datadir)) {
            Party payer = daemon.imported(1);
            daemon.fund(payer, 1_000_000, 1_000_000);
            daemon.awaitFollowed();
            long now = NOW.getEpochSecond();
            JsonNode status = daemon.followerStatus();
            long tip = daemon.call(
                            "get_block_by_height",
                            "height",
                            status.path("last_indexed_height").longValue())
                    .path("timestamp")
                    .longValue();

            assertThat(status.path("follower_started_at").longValue()).isEqualTo(now);
            assertThat(status.path("tip_age_seconds").longValue()).isEqualTo(now - tip);
            assertThat(daemon.call(
                                    "quote_issue",
                                    params(
                                            "address", payer.address,
                                            "payee_pubkey", payer.key,
                                            "currency", "EUR",
                                            "amount_minor", 100,
                                            "rate_chain_per_unit", 1_000,
                                            "chain_amount", 1_000,
                                            "ttl_secs", 60))
                            .at("/quote/issued_at")
                            .longValue())
                    .isEqualTo(now);
            Await.until(
                    "the movements of the wallet are read", () -> !steps(daemon).isEmpty());
            JsonNode steps = steps(daemon);
            assertThat(now - steps.get(steps.size() - 1).path("time").longValue())
                    .isBetween(0L, FIVE_MINUTES);
            daemon.call("transfer", payment(payer.address, "5a".repeat(32), 1_000));
            assertThat(daemon.call("list_spends")
                            .path("spends")
                            .get(0)
                            .path("created_at")
                            .longValue())
                    .isBetween(now, now + FIVE_MINUTES);
        }
    }

    private static JsonNode steps(DaemonRig daemon) {
        return daemon.call("get_wallet_history").path("steps");
    }
}
