package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.books.BlockRow;
import org.junit.jupiter.api.Test;

class HeaderChainTest {
    private static final long TOP = 3 * Difficulty.WINDOW + 500;

    /** Creates a row; the target changes at each adjustment. */
    private static BlockRow row(long height) {
        byte[] target = new byte[Hash256.LENGTH];
        target[0] = (byte) (0x40 >> height / Difficulty.WINDOW);
        return new BlockRow(height, Hash256.sha256(target), Hash256.ZERO, 1_000 + height, Hash256.of(target), true);
    }

    private static HeaderChain of(LongStream heights) {
        return HeaderChain.of(
                new ArrayList<>(heights.mapToObj(HeaderChainTest::row).toList()));
    }

    /** A gap as left by a reorganisation below the ids that are kept without a gap. */
    @Test
    void blocks_whose_ids_are_not_kept_count_with_their_work() {
        HeaderChain whole = of(LongStream.rangeClosed(0, TOP));
        HeaderChain kept =
                of(LongStream.rangeClosed(0, TOP).filter(height -> height % 1_000 == 0 || height > TOP - 300));

        for (long fork : List.of(0L, 1_000L, 4_000L, 5_000L, 12_000L, 13_000L, TOP - 299, TOP - 1, TOP)) {
            assertThat(kept.workAbove(fork)).as("above %d", fork).isEqualTo(whole.workAbove(fork));
        }
        assertThat(whole.workAbove(TOP)).isEqualTo(BigInteger.ZERO);
        assertThat(whole.workAbove(TOP - 2))
                .isEqualTo(HeaderChain.work(row(TOP).target()).multiply(BigInteger.TWO));
    }
}
