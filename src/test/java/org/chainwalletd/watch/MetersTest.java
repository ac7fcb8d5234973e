package org.chainwalletd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MetersTest {
    private final Meters meters = Meters.of("""
            # HELP a_total things
            # TYPE a_total counter
            a_total{kind="x",node="http://h:1/"} 3.0
            a_total{kind="y \\"quoted\\"",node="http://h:1/"} 4.5 1700000000
            b 7
            c NaN
            broken{ 1
            worse 1x
            """);

    @Test
    void meters_of_one_name_are_summed_by_their_labels() {
        assertThat(meters.sum("a_total", Map.of())).hasValue(7.5);
        assertThat(meters.sum("a_total", Map.of("kind", "x"))).hasValue(3);
        assertThat(meters.sum("b", Map.of())).hasValue(7);
        assertThat(meters.by("kind", "a_total")).isEqualTo(Map.of("x", 3.0, "y \"quoted\"", 4.5));
    }

    @Test
    void what_is_not_there_is_not_zero() {
        assertThat(meters.sum("none", Map.of())).isEmpty();
        assertThat(meters.sum("a_total", Map.of("kind", "z"))).isEmpty();
        assertThat(meters.sum("worse", Map.of())).isEmpty();
    }
}
