package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.junit.jupiter.api.Test;

class HttpLimitsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final HttpLimits LIMITS = ServerFixture.withShares(
            ServerFixture.limits(1 << 20, 1_000, 8, LONG, LONG, LONG, LONG, 1 << 20), 750, 1 << 20, 1 << 20);

    @Test
    void where_fewer_connections_fit_one_address_leaves_as_large_a_part_to_others() {
        HttpLimits fewer = LIMITS.fitting(100);

        assertThat(fewer.maxConnections()).isEqualTo(100);
        assertThat(fewer.maxConnectionsPerAddress()).isEqualTo(75);
        assertThat(LIMITS.fitting(1_000)).isSameAs(LIMITS);
        assertThat(LIMITS.fitting(1).maxConnectionsPerAddress()).isEqualTo(1);
    }

    @Test
    void an_address_that_has_its_part_takes_no_place_of_another_one() throws Exception {
        AddressShares shares =
                new AddressShares(LIMITS.fitting(8), ByteBudget.of(1 << 20), new ClientAddress(List.of()));
        InetAddress greedy = InetAddress.getByName("192.0.2.1");
        for (int i = 0; i < 6; i++) {
            assertThat(shares.enter(greedy)).isPresent();
        }

        assertThat(shares.enter(greedy)).isEmpty();
        assertThat(shares.enter(InetAddress.getByName("192.0.2.2"))).isPresent();
    }
}
