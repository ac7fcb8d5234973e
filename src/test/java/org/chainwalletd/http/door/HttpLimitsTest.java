package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.chainwalletd.config.HeapShares;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void clients_never_get_the_part_of_nodes_however_much_is_configured(@TempDir Path home) {
        long most = HeapShares.ofThisProcess().peersOfOneKind();
        Map<String, String> flags = Map.of("--max-held-bytes", Long.toString(4 * most));

        HttpLimits limits = HttpLimits.of(
                SettingsLoader.load(flags, Map.of(), home).settings().http());

        assertThat(limits.memory()).isEqualTo(new HttpLimits.Memory(most, most / 2, most / 4));
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
