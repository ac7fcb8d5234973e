package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expired quotes are deleted after a week, and nothing else ever is. */
public class SwapUpkeepTest {
    private static final Duration KEPT = Duration.ofDays(7);

    @TempDir
    Path folder;

    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create(ManualTime.config());

    private final ManualTime time = ManualTime.get(kit.system());
    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));

    private static void add(SwapJournal journal, int n, boolean watched, UnaryOperator<SwapRow> becomes) {
        SwapRow row = Sample.row(n, Direction.CHAIN_TO_NATIVE);
        try (SecretBytes secret = SecretBytes.copyOf(Sample.SECRET)) {
            SwapJournal.Held held = Await.result(journal.add(row, secret)).orElseThrow();
            Await.result(journal.write(held, becomes.apply(row), watched));
        }
    }

    private static boolean isThere(SwapJournal journal, int n) {
        return Await.result(journal.find("swap-" + n)).isPresent();
    }

    @Test
    void an_expired_quote_is_forgotten_after_a_week_and_no_other_row() {
        try (SqliteStore store = SqliteStore.open(folder);
                SealedRecords seals = TestSeals.of(Optional.empty())) {
            SwapJournal journal = new SwapJournal(store.swaps(), seals, ForkJoinPool.commonPool());
            add(journal, 1, false, row -> row.with(row.acts().expire(), Sample.NOW));
            add(journal, 2, false, row -> row.with(row.acts().expire(), Sample.NOW + 1));
            add(journal, 3, true, row -> row.with(row.acts().expire(), Sample.NOW));
            add(journal, 4, false, row -> row.with(row.acts().lock(), Sample.NOW));
            clock.advance(KEPT);
            kit.spawn(SwapUpkeep.create(journal, follower -> {}, () -> {}, clock));
            time.timePasses(Duration.ofMillis(1));

            clock.advance(Duration.ofSeconds(1));
            Await.until("what is older than a week is gone", () -> {
                time.timePasses(Duration.ofHours(1));
                return !isThere(journal, 1);
            });

            assertThat(isThere(journal, 2)).as("not a week old").isTrue();
            assertThat(isThere(journal, 3)).as("still looked after").isTrue();
            assertThat(isThere(journal, 4)).as("no quote any more").isTrue();
        }
    }
}
