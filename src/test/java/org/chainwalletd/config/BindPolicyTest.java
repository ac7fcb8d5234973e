package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,LOOPBACK",
        "127.9.9.9,LOOPBACK",
        "::1,LOOPBACK",
        "::ffff:127.0.0.1,LOOPBACK",
        "10.1.2.3,PRIVATE",
        "172.16.0.1,PRIVATE",
        "172.31.255.255,PRIVATE",
        "192.168.7.7,PRIVATE",
        "169.254.1.1,PRIVATE",
        "fe80::1,PRIVATE",
        "fc00::1,PRIVATE",
        "fdff::1,PRIVATE",
        "::ffff:10.0.0.1,PRIVATE",
        "0.0.0.0,PUBLIC",
        "::,PUBLIC",
        "172.32.0.1,PUBLIC",
        "100.64.0.1,PUBLIC",
        "203.0.113.5,PUBLIC",
        "2001:db8::1,PUBLIC",
        "fec0::1,PUBLIC",
    })
    void an_address_is_loopback_private_or_public(String host, BindPolicy.Reach reach) {
        InetSocketAddress bind = new InetSocketAddress(host, 7448);
        BindPolicy.Verdict plain = BindPolicy.check(bind, false, false, false);
        assertThat(plain.reach()).isEqualTo(reach);
        assertThat(plain.refusal().isPresent()).isEqualTo(reach == BindPolicy.Reach.PUBLIC);
        assertThat(plain.warnings()).hasSize(reach == BindPolicy.Reach.PRIVATE ? 1 : 0);
        assertThat(BindPolicy.check(bind, true, false, false).refusal()).isEmpty();
        assertThat(BindPolicy.check(bind, false, true, false).refusal()).isEmpty();
    }

    @Test
    void a_private_address_with_a_token_is_nothing_to_warn_of() {
        assertThat(BindPolicy.check(new InetSocketAddress("10.0.0.1", 1), false, false, true)
                        .warnings())
                .isEmpty();
    }

    @Test
    void the_refusal_says_what_to_do() {
        assertThat(BindPolicy.check(new InetSocketAddress("::", 7448), false, false, true)
                        .refusal())
                .contains("--bind [0:0:0:0:0:0:0:0]:7448 can be reached from outside and tokens would travel in clear: "
                        + "bind to 127.0.0.1, or serve TLS with --tls, "
                        + "or say --allow-public-bind when a TLS terminator stands in front");
    }
}
