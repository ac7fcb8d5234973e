package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.swap.legs.ChainLegRig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReclaimRetriesTest {
    private static final Duration LOOK = Duration.ofMillis(500);

    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create(ManualTime.config());

    @AutoClose
    private final LogCapture log = LogCapture.ofPackage(HtlcIndex.class);

    private final ManualTime time = ManualTime.get(kit.system());

    private long attempts(Outpoint lock) {
        return log.messages().stream()
                .filter(line -> line.startsWith("the lock " + lock + " is not reclaimed yet: "))
                .count();
    }

    private void awaitAttempts(Outpoint lock, int attempts) {
        Await.until("the lock " + lock + " was tried", () -> {
            time.timePasses(LOOK);
            return attempts(lock) == attempts;
        });
    }

    /** Makes a lock that our key may take back, with a datum that only its sender knows: no daemon can spend it. */
    private static Outpoint impossible(ChainLegRig rig, Party ours, long amount) {
        HtlcParams params = new HtlcParams(ours.key, ours.key, Hash256.sha256(new byte[] {1}), 0);
        return rig.lock(rig.stranger(), Locks.output(params, amount).withDatumHash(Hash256.ZERO));
    }

    @Test
    void a_lock_that_cannot_be_spent_is_tried_again_after_a_day_and_not_before(@TempDir Path folder) {
        try (ChainLegRig rig = new ChainLegRig(folder)) {
            Party ours = rig.ours();
            Outpoint lock = impossible(rig, ours, 500_000);
            kit.spawn(HtlcIndex.create(new HtlcWatch(
                    ChainProfile.of("chain"),
                    rig.follow().books(),
                    rig.follow().follower()::tip,
                    rig.sightings,
                    new HtlcWatch.LostLocks(rig.follow().client(), rig.sightings, Runnable::run),
                    rig.htlcs,
                    new HtlcWatch.HtlcMetrics(new SimpleMeterRegistry()),
                    rig.follow().follower()::subscribe,
                    parties -> {},
                    true)));
            awaitAttempts(lock, 1);

            time.timePasses(Duration.ofHours(23));
            awaitAttempts(impossible(rig, ours, 400_000), 1);
            assertThat(attempts(lock)).as("before a day is over").isEqualTo(1);

            time.timePasses(Duration.ofHours(1));
            awaitAttempts(lock, 2);
        }
    }
}
