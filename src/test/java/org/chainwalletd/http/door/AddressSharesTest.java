package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.junit.jupiter.api.Test;

/** Which connections count as one address, and which are limited only by the totals. */
class AddressSharesTest {
    private static final HttpLimits LIMITS = ServerFixture.withShares(ServerFixture.LIMITS, 2, 1 << 10, Long.MAX_VALUE);

    private final AddressShares shares =
            new AddressShares(LIMITS, ByteBudget.of(1 << 20), new ClientAddress(List.of("2001:db8::1")));

    private static InetAddress address(String text) throws UnknownHostException {
        return InetAddress.getByName(text);
    }

    @Test
    void a_network_of_ipv6_is_one_address_and_has_its_place_back_when_a_connection_ends() throws Exception {
        AddressShares.Place first = shares.enter(address("2001:db8:1::5")).orElseThrow();
        assertThat(shares.enter(address("2001:db8:1::6"))).isPresent();
        assertThat(shares.enter(address("2001:db8:1::7"))).isEmpty();
        assertThat(shares.enter(address("2001:db8:2::7"))).isPresent();

        first.close();
        first.close();

        assertThat(shares.enter(address("2001:db8:1::7"))).isPresent();
        assertThat(shares.enter(address("2001:db8:1::8"))).isEmpty();
    }

    @Test
    void a_neighbour_of_a_proxy_is_bound_as_everybody_is_and_the_proxy_is_not() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(shares.enter(address("2001:db8::1"))).isPresent();
        }
        AddressShares.Place neighbour = shares.enter(address("2001:db8::2")).orElseThrow();
        assertThat(neighbour.budget().tryTake(2 << 10)).isFalse();
        assertThat(shares.enter(address("2001:db8::3"))).isPresent();
        assertThat(shares.enter(address("2001:db8::4"))).isEmpty();
        assertThat(shares.enter(address("2001:db8::1")).orElseThrow().budget().tryTake(2 << 10))
                .isTrue();
    }

    /** Connection that has been quiet since a time, or is working. */
    private record Fake(String name, OptionalLong quietSince) implements AddressShares.Holder {
        @Override
        public OptionalLong quietSince(long now) {
            return quietSince;
        }

        @Override
        public boolean giveWay(long now) {
            return quietSince.isPresent();
        }
    }

    private static final long NOW = 1_000;
    private static final HttpLimits WIDE =
            ServerFixture.withShares(ServerFixture.LIMITS, 1_000, 1 << 10, Long.MAX_VALUE);
    private final AddressShares wide =
            new AddressShares(WIDE, ByteBudget.of(1 << 20), new ClientAddress(List.of("10.9.9.9")));

    private AddressShares.Place quiet(String address, long since) throws UnknownHostException {
        return held(address, OptionalLong.of(since));
    }

    private AddressShares.Place busy(String address) throws UnknownHostException {
        return held(address, OptionalLong.empty());
    }

    private AddressShares.Place held(String address, OptionalLong since) throws UnknownHostException {
        AddressShares.Place place = wide.enter(address(address)).orElseThrow();
        place.heldBy(new Fake(address + " " + since, since));
        return place;
    }

    private String givesWayTo(String address) throws UnknownHostException {
        return wide.mayGiveWay(address(address), holder -> true, NOW)
                .map(holder -> ((Fake) holder).name())
                .orElse("nobody");
    }

    @Test
    void the_one_that_is_quiet_for_longest_of_the_address_that_has_the_most_gives_way() throws Exception {
        quiet("10.0.0.1", 1);
        quiet("10.0.0.2", 30);
        quiet("10.0.0.2", 20);
        quiet("10.0.0.2", 40);
        quiet("10.0.0.3", 10);
        quiet("10.0.0.3", 10);

        assertThat(givesWayTo("10.0.0.4")).isEqualTo("10.0.0.2 OptionalLong[20]");
        assertThat(givesWayTo("10.0.0.3")).isEqualTo("10.0.0.2 OptionalLong[20]");
    }

    @Test
    void nobody_gives_way_to_an_address_that_has_as_many_nor_one_that_is_owed_an_answer() throws Exception {
        busy("10.0.0.1");
        busy("10.0.0.1");
        busy("10.0.0.1");
        quiet("10.0.0.2", 5);
        quiet("10.0.0.2", 6);

        assertThat(givesWayTo("10.0.0.3")).as("the next one that has more").isEqualTo("10.0.0.2 OptionalLong[5]");
        assertThat(givesWayTo("10.0.0.2")).isEqualTo("nobody");
        assertThat(givesWayTo("10.0.0.1")).isEqualTo("nobody");
    }

    @Test
    void a_proxys_connections_never_give_way_and_those_of_others_do_to_it() throws Exception {
        for (int i = 0; i < 5; i++) {
            quiet("10.9.9.9", i);
        }
        AddressShares.Place other = quiet("10.0.0.1", 7);

        assertThat(givesWayTo("10.9.9.9")).isEqualTo("10.0.0.1 OptionalLong[7]");
        other.close();
        assertThat(givesWayTo("10.0.0.2")).isEqualTo("nobody");
    }

    @Test
    void so_few_are_looked_at_that_nobody_waits_and_others_the_next_time() throws Exception {
        List<AddressShares.Place> busy = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            busy.add(busy("10.0.0.1"));
        }
        quiet("10.0.0.1", 5);

        List<String> asked = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            asked.add(givesWayTo("10.0.0.2"));
        }

        assertThat(asked).contains("nobody").contains("10.0.0.1 OptionalLong[5]");
        busy.forEach(AddressShares.Place::close);
        assertThat(givesWayTo("10.0.0.2")).isEqualTo("10.0.0.1 OptionalLong[5]");
    }

    @Test
    void few_connections_of_very_many_addresses_are_heavy_too_and_the_first_of_each_is_not() throws Exception {
        int normal = 0;
        for (int address = 0; address < 500; address++) {
            for (int i = 0; i < 30; i++) {
                String text = "10.1." + address / 250 + "." + address % 250;
                boolean heavy = wide.enter(address(text)).orElseThrow().connectionClass() == ConnectionClass.HEAVY;
                normal += heavy ? 0 : 1;
                assertThat(i == 0 && heavy).isFalse();
            }
        }
        assertThat(normal).isLessThan(4_000);
    }

    @Test
    void who_opens_many_connections_at_once_or_goes_on_opening_them_comes_often_and_nobody_else() {
        AtomicLong clock = new AtomicLong();
        AddressShares.Arrivals arrivals = new AddressShares.Arrivals(clock::get);
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
