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
 * Random histories of spending. {@code -Dspend.histories=10000} runs as many as promised, {@code -Dspend.first-seed}
 * repeats given seeds. A seed does not always take the same course, since threads interleave: {@code -Dspend.times} sets the number of runs
 * per seed.
 */
@Tag("long")
class SpendHistoryTest {
    @TempDir
    Path folder;

    /** Complaints of earlier runs too: a later seed must not hide the finding of an earlier one. */
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

    /**
     * The payment was made without a token, on a false claim of a node, and its daemon lost its store before the log recorded that a node
     * had it.
     */
    @Test
    void seed_62603435109450_what_was_acknowledged_without_a_token_is_sent_again_after_a_restore() {
        assertThat(SpendHistory.runMany(folder.resolve("acknowledged"), 62_603_435_109_450L, 1, 40))
                .isEmpty();
    }
}
