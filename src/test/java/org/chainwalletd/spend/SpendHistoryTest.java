package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code -Dspend.histories=10000} runs as many as the promise names, {@code -Dspend.first-seed} the same ones again. They do not go the same
 * way twice, since threads interleave: {@code -Dspend.times} begins each seed so often.
 */
@Tag("long")
class SpendHistoryTest {
    @TempDir
    Path folder;

    /** Those of an earlier try too: another seed must not hide what one has found. */
    private static final Collection<String> COMPLAINTS = new ConcurrentLinkedQueue<>();

    @Test
    void whatever_breaks_one_payment_is_made_at_most_once_and_no_coin_is_selected_twice() {
        int histories = Integer.getInteger("spend.histories", 30);
        long seed = Long.getLong(
                "spend.first-seed", Seeded.random("spend histories").nextLong() >>> 16);
        System.out.println(histories + " histories, first seed " + seed);

        int times = Integer.getInteger("spend.times", 1);
        COMPLAINTS.addAll(SpendHistory.runMany(folder, seed, histories, times));
        assertThat(COMPLAINTS).isEmpty();
    }

    /** It was paid without a token, on a lying node's word, and its daemon lost its store before the log knew that a node had it. */
    @Test
    void seed_62603435109450_what_was_acknowledged_without_a_token_is_sent_again_after_a_restore() {
        assertThat(SpendHistory.runMany(folder.resolve("acknowledged"), 62_603_435_109_450L, 1, 40))
                .isEmpty();
    }
}
