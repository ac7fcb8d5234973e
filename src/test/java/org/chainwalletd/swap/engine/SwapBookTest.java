package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.chainwalletd.account.OpenSwaps;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;

/** Information about open swaps for other components. */
public class SwapBookTest {
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

    /** Each quote is requested from the pool before it is in the book. */
    @Test
    void open_quotes_have_a_bound_also_when_many_are_taken_at_once() {
        AtomicInteger taken = new AtomicInteger();
        IntStream.range(0, 300).parallel().forEach(any -> {
            if (book.reserveQuote(256)) {
                taken.incrementAndGet();
            }
        });
        assertThat(taken).hasValue(256);
        book.enter(quoted("one", Direction.CHAIN_TO_NATIVE));
        book.releaseQuote();
        assertThat(book.reserveQuote(256)).as("it is open").isFalse();
        book.releaseQuote();
        assertThat(book.reserveQuote(256)).as("another one was refused").isTrue();
    }

    private SwapRow quoted(String id, Direction direction) {
        SwapRow row = SwapRow.quoted(id, "pool-" + id, "run-1", Sample.terms(direction), Optional.empty(), Sample.NOW);
        book.enter(row);
        return row;
    }

    private OpenSwaps.Ahead ahead(SwapRow row) {
        return book.ahead(Sample.OUR_EVM, row.id());
    }

    private static OpenSwaps.Ahead ahead(int swaps, BigInteger locks) {
        return new OpenSwaps.Ahead(swaps, locks, 0);
    }

    @Test
    void of_swaps_that_are_executed_at_once_each_leaves_the_gas_and_the_lock_of_the_earlier_ones() {
        SwapRow buy = quoted("buy", Direction.NATIVE_TO_CHAIN);
        SwapRow first = quoted("first", Direction.CHAIN_TO_NATIVE);
        SwapRow second = quoted("second", Direction.CHAIN_TO_NATIVE);
        assertThat(book.needingGas(Sample.OUR_EVM)).isZero();
        book.executing(first);
        book.executing(buy);
        book.executing(second);
        BigInteger lock = buy.terms().given().units();
        assertThat(ahead(first)).isEqualTo(ahead(0, BigInteger.ZERO));
        assertThat(ahead(buy)).isEqualTo(ahead(1, BigInteger.ZERO));
        assertThat(ahead(second)).isEqualTo(ahead(2, lock));
        assertThat(book.needingGas(Sample.OUR_EVM)).isEqualTo(3);

        book.enter(buy.with(buy.acts().lock(), Sample.NOW));
        assertThat(ahead(first)).isEqualTo(ahead(1, BigInteger.ZERO));
        assertThat(ahead(second)).isEqualTo(ahead(2, lock));
        book.executed(buy);
        book.executed(first);
        assertThat(ahead(second)).isEqualTo(ahead(1, BigInteger.ZERO));
        assertThat(book.needingGas(Sample.OUR_EVM)).isEqualTo(2);
    }

    /** Otherwise a lock that was already sent would be abandoned for a later quote. */
    @Test
    void a_swap_that_holds_money_comes_before_all_that_are_being_executed() {
        SwapRow locking = quoted("locking", Direction.CHAIN_TO_NATIVE);
        book.enter(locking.with(locking.acts().lock(), Sample.NOW));
        SwapRow later = quoted("later", Direction.NATIVE_TO_CHAIN);
        book.executing(later);
        assertThat(ahead(locking)).isEqualTo(ahead(1, BigInteger.ZERO));
        assertThat(ahead(later)).isEqualTo(ahead(1, BigInteger.ZERO));
    }

    @Test
    void after_another_daemon_has_had_the_swaps_it_has_what_the_journal_has() {
        SwapRow over = quoted("over", Direction.CHAIN_TO_NATIVE);
        SwapRow moved = quoted("moved", Direction.NATIVE_TO_CHAIN);
        book.executing(over);
        book.leaveToEngine();
        assertThat(book.isKnown()).isTrue();
        book.outdate();
        assertThat(book.isKnown()).isFalse();
        assertThat(book.of(Hash256.ZERO).orElseThrow()).contains("has not been read");

        book.reading();
        SwapRow fresh = quoted("fresh", Direction.CHAIN_TO_NATIVE);
        SwapRow expired = quoted("expired", Direction.CHAIN_TO_NATIVE);
        SwapRow stale = expired;
        book.enter(expired.with(expired.acts().expire(), 1));
        SwapRow other = SwapRow.quoted(
                "other", "pool", "run-2", Sample.terms(Direction.CHAIN_TO_NATIVE), Optional.empty(), Sample.NOW);
        assertThat(book.isKnown()).isFalse();
        book.read(List.of(moved.with(moved.acts().lock(), Sample.NOW), other, stale));

        assertThat(book.isKnown()).isTrue();
        assertThat(book.of(Hash256.ZERO)).isEmpty();
        assertThat(book.count(SwapStatus.QUOTED))
                .as("the fresh one and the other's")
                .isEqualTo(2);
        assertThat(book.count(SwapStatus.LOCKING)).isEqualTo(1);
        assertThat(book.needingGas(Sample.OUR_EVM)).isEqualTo(1);
        assertThat(ahead(fresh)).isEqualTo(ahead(1, BigInteger.ZERO));
    }
}
