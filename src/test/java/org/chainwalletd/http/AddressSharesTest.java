package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.chainwalletd.net.ByteBudget;
import org.junit.jupiter.api.Test;

/** Who counts as one address, and who is bound by nothing but the totals. */
class AddressSharesTest {
    private static final HttpLimits LIMITS = ServerFixture.LIMITS.withShares(2, 1 << 10, Long.MAX_VALUE);

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
}
