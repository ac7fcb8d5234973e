package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.chainwalletd.store.books.LedgerFilter.HashFilter;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class HashFilterTest {
    private final HashFilter filter = new HashFilter();

    @Test
    void what_was_added_is_found_and_what_was_not_is_not() {
        Random random = Seeded.random("sieve");
        long[] added = random.longs(20_000).toArray();
        LongStream.of(added).forEach(filter::add);

        assertThat(LongStream.of(added)).allMatch(filter::mayContain);
        assertThat(random.longs(20_000).filter(filter::mayContain).count()).isZero();
        assertThat(filter.size()).isEqualTo(20_000);
    }

    @Test
    void neighbours_and_the_number_that_stands_for_a_free_place_are_numbers_like_others() {
        LongStream.range(-5_000, 5_000).filter(number -> number % 2 == 0).forEach(filter::add);

        assertThat(LongStream.range(-5_000, 5_000)).allMatch(number -> filter.mayContain(number) == (number % 2 == 0));
    }

    @Test
    void what_is_added_again_takes_no_more_room() {
        for (int i = 0; i < 100_000; i++) {
            filter.add(i % 10);
        }

        assertThat(filter.size()).isEqualTo(10);
    }
}
