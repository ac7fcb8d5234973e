package org.chainwalletd.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;

/** What others hear of open swaps. */
class SwapBookTest {
    private final SwapBook book = new SwapBook();

    @Test
    void any_htlc_may_be_a_swaps_before_the_journal_was_read() {
        assertThat(book.of(Hash256.ZERO).orElseThrow()).contains("has not been read");
    }

    @Test
    void the_engine_redeems_the_locks_of_its_open_swaps_and_no_others() {
        SwapRow row = Sample.row(Direction.CHAIN_TO_NATIVE);
        book.enter(row);
        book.leaveToEngine();
        assertThat(book.of(row.terms().hashLock()).orElseThrow()).contains(row.id(), "swap_refund");
        assertThat(book.of(Hash256.ZERO)).isEmpty();
        book.enter(row.with(row.acts().expire(), 1));
        assertThat(book.of(row.terms().hashLock())).isEmpty();
    }

    @Test
    void without_an_engine_locks_are_the_operators() {
        SwapRow row = Sample.row(Direction.CHAIN_TO_NATIVE);
        book.enter(row);
        book.leaveToOperator();
        assertThat(book.of(row.terms().hashLock())).isEqualTo(Optional.empty());
    }
}
