package org.chainwalletd.node.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.junit.jupiter.api.Test;

class StreamPlanTest {
    private record Open(Set<Address> addresses) implements StreamPlan.Open {}

    private final StreamPlan plan = new StreamPlan(3, 2);
    private final List<Open> open = new ArrayList<>();

    @Test
    void the_first_addresses_get_a_stream_of_their_own() {
        assertThat(next(1, 2, 3, 4)).contains(new StreamPlan.Step<>(set(1, 2, 3), Optional.empty()));
    }

    @Test
    void a_stream_with_room_is_replaced_by_one_with_more_addresses() {
        open.add(new Open(set(1, 2, 3)));
        open.add(new Open(set(4)));

        assertThat(next(1, 2, 3, 4, 5)).contains(new StreamPlan.Step<>(set(4, 5), Optional.of(open.get(1))));
    }

    @Test
    void what_is_no_longer_wanted_makes_room() {
        open.add(new Open(set(1, 2, 3)));
        open.add(new Open(set(4, 5, 6)));

        assertThat(next(1, 2, 3, 5, 7)).contains(new StreamPlan.Step<>(set(5, 7), Optional.of(open.get(1))));
    }

    @Test
    void the_least_urgent_addresses_are_left_out() {
        open.add(new Open(set(1, 2, 3)));
        open.add(new Open(set(4, 5, 6)));

        assertThat(next(1, 2, 3, 4, 5, 6, 7)).isEmpty();
        assertThat(next(7, 1, 2, 3, 4, 5, 6)).contains(new StreamPlan.Step<>(set(4, 5, 7), Optional.of(open.get(1))));
    }

    @Test
    void nothing_is_done_when_all_are_watched() {
        open.add(new Open(set(1, 2, 3)));

        assertThat(next(1, 3)).isEmpty();
    }

    @Test
    void no_stream_is_added_while_another_one_opens() {
        open.add(new Open(set(1, 2, 3)));

        assertThat(plan.next(list(1, 2, 3, 4), open, List.of())).isEmpty();
    }

    private Optional<StreamPlan.Step<Open>> next(int... wanted) {
        return plan.next(list(wanted), open, open);
    }

    private static Set<Address> set(int... numbers) {
        return new LinkedHashSet<>(list(numbers));
    }

    private static List<Address> list(int... numbers) {
        return IntStream.of(numbers).mapToObj(StreamPlanTest::address).toList();
    }

    static Address address(int number) {
        byte[] bytes = new byte[Address.LENGTH];
        Arrays.fill(bytes, (byte) number);
        return Address.of(bytes);
    }
}
