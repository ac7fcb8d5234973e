package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.node.NodeException;
import org.junit.jupiter.api.Test;

class UpstreamErrorsTest {
    @Test
    void every_kind_of_failure_of_a_node_has_its_error() {
        assertThat(UpstreamErrors.BY_KIND.keySet().stream().<Class<?>>map(kind -> kind))
                .containsExactlyInAnyOrder(NodeException.class.getPermittedSubclasses());
    }

    @Test
    void another_chain_than_ours_is_no_fault_of_the_upstream() {
        assertThat(UpstreamErrors.BY_KIND
                        .get(NodeException.WrongChain.class)
                        .apply(new NodeException.WrongChain("x"))
                        .code())
                .isEqualTo(ErrorCode.TX_BUILD);
    }

    @Test
    void what_is_no_failure_of_a_node_is_left_to_others() {
        assertThat(new UpstreamErrors().translate(new IllegalStateException("x")))
                .isEmpty();
    }

    @Test
    void every_failure_of_an_endpoint_is_an_upstream_error() {
        for (AccountException failure : List.of(
                new AccountException.Unreachable("e", "why"),
                new AccountException.Refused("e", -1, "no"),
                new AccountException.BadAnswer("e", "what"),
                new AccountException.WrongChain("e", BigInteger.ONE, BigInteger.TWO),
                new AccountException.Disagreement(2, true, List.of()))) {
            assertThat(new UpstreamErrors().translate(failure).orElseThrow().code())
                    .isEqualTo(ErrorCode.UPSTREAM);
        }
    }
}
