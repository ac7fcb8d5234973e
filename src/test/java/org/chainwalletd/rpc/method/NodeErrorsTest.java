package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.node.NodeException;
import org.junit.jupiter.api.Test;

class NodeErrorsTest {
    @Test
    void every_kind_of_failure_of_a_node_has_its_error() {
        assertThat(NodeErrors.BY_KIND.keySet().stream().<Class<?>>map(kind -> kind))
                .containsExactlyInAnyOrder(NodeException.class.getPermittedSubclasses());
    }

    @Test
    void another_chain_than_ours_is_no_fault_of_the_upstream() {
        assertThat(NodeErrors.BY_KIND
                        .get(NodeException.WrongChain.class)
                        .apply(new NodeException.WrongChain("x"))
                        .code())
                .isEqualTo(ErrorCode.TX_BUILD);
    }

    @Test
    void what_is_no_failure_of_a_node_is_left_to_others() {
        assertThat(new NodeErrors().translate(new IllegalStateException("x"))).isEmpty();
    }
}
