package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.UnburiedSpends.Entry;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.junit.jupiter.api.Test;

class UnburiedSpendsTest {
    private final AtomicInteger count = new AtomicInteger();
    private final UnburiedSpends spends = new UnburiedSpends(
            List.of(spendAt(5), spendAt(6), spendAt(7), new ConfirmedSpend(id(1), List.of(), Optional.empty())), count);

    private static Hash256 id(int number) {
        return Hash256.sha256(new byte[] {(byte) number});
    }

    /** Spend whose id and block id are derived from the height. */
    private static ConfirmedSpend spendAt(int height) {
        return new ConfirmedSpend(id(height), List.of(), Optional.of(new BlockPlace(height, id(100 + height))));
    }

    private void proveAll() {
        spends.inDoubt().forEach(spends::proven);
    }

    private static List<Hash256> ids(List<Entry> entries) {
        return entries.stream().map(Entry::txId).toList();
    }

    @Test
    void all_are_in_doubt_at_first_and_then_only_those_whose_height_has_changed() {
        assertThat(spends.inDoubt()).hasSize(4);
        proveAll();
        assertThat(spends.inDoubt()).isEmpty();

        spends.doubtFrom(7);
        assertThat(ids(spends.inDoubt())).containsExactly(id(7));
        spends.doubtFrom(8);
        spends.doubtFrom(6);

        assertThat(ids(spends.inDoubt())).containsExactly(id(7), id(6));
    }

    @Test
    void only_those_in_no_doubt_with_which_nobody_is_busy_are_proven() {
        spends.proven(spends.get(id(5)));
        spends.proven(spends.get(id(6)));
        assertThat(ids(spends.provenUpTo(7))).containsExactly(id(5), id(6));
        assertThat(ids(spends.provenUpTo(5))).containsExactly(id(5));

        spends.get(id(5)).begin();
        assertThat(ids(spends.provenUpTo(7))).containsExactly(id(6));

        spends.later(spends.get(id(5)), 9);
        assertThat(ids(spends.provenUpTo(7)))
                .as("what failed is in doubt again")
                .containsExactly(id(6));
    }

    @Test
    void a_spend_in_another_block_is_in_doubt_until_that_one_is_known() {
        proveAll();
        spends.move(spends.get(id(5)), new BlockPlace(9, id(109)));

        assertThat(ids(spends.inDoubt())).containsExactly(id(5));
        assertThat(ids(spends.provenUpTo(9))).containsExactly(id(6), id(7));
    }

    @Test
    void one_whose_block_is_not_known_counts_too() {
        assertThat(count).hasValue(4);
        spends.remove(id(5));
        spends.remove(id(6));
        spends.remove(id(6));
        spends.remove(id(7));

        assertThat(count).hasValue(1);
        assertThat(ids(spends.inDoubt())).containsExactly(id(1));
    }
}
