package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class BlockRowsTest extends OnBooks {
    private static final long SCAN = 7;

    private static BlockRow row(long height) {
        return new BlockRow(
                height, Hash256.sha256(new byte[] {(byte) (height >> 8)}), Hash256.ZERO, height, Hash256.ZERO, false);
    }

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of();
    }

    @Test
    void a_rescan_that_has_joined_leaves_every_thousandth_id_below_the_first_one_of_the_head() {
        List<Long> heights = Await.result(file.write(session -> {
            for (long height = 4_990; height < 5_010; height++) {
                BlockRows.put(session.head(), row(height));
            }
            Page scan = session.page(SCAN);
            for (long height = 1_990; height < 5_010; height += height < 2_010 || height >= 4_989 ? 1 : 10) {
                BlockRows.put(scan, row(height));
            }
            BlockRows.endScan(scan);
            assertThat(BlockRows.top(scan)).isEmpty();
            return BlockRows.all(session.head()).stream().map(BlockRow::height).toList();
        }));

        assertThat(heights).startsWith(2_000L, 3_000L, 4_000L, 4_990L, 4_991L).hasSize(23);
    }
}
