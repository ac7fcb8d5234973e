package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private final AtomicLong clock = new AtomicLong();
    private final AddressShares.Arrivals arrivals = new AddressShares.Arrivals(clock::get);

    @Test
    void who_opens_many_connections_at_once_or_continues_to_open_them_comes_often_and_nobody_else() {
        assertThat(IntStream.range(0, 64).anyMatch(i -> arrivals.often("a"))).isFalse();
        assertThat(arrivals.often("a")).isTrue();
        assertThat(arrivals.often("b")).isFalse();

        clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(arrivals.often("a")).isFalse();
        for (int i = 0; i < 1_000; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(51));
            assertThat(arrivals.often("slowly")).isFalse();
        }
        boolean often = false;
        for (int i = 0; i < 1_000; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            often = arrivals.often("fast");
        }
        assertThat(often).isTrue();
    }
}
