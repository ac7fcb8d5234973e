package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.junit.jupiter.api.Test;

class SpendRefusalErrorsTest {
    @Test
    void every_refusal_has_an_error_of_its_own_and_none_becomes_upstream_silently() {
        Set<Class<?>> refusals = new HashSet<>(Arrays.asList(SpendRefusal.class.getPermittedSubclasses()));

        assertThat(new HashSet<Class<?>>(SpendErrors.known())).isEqualTo(refusals);
    }

    private static Record dataOf(SpendRefusal refusal) {
        return new SpendErrors(address -> false)
                .translate(new SpendException(refusal))
                .orElseThrow()
                .data();
    }

    @Test
    void an_upstream_error_names_the_transaction_that_a_node_may_have() {
        Hash256 txId = Hash256.parse("28".repeat(32));
        Record named = new SpendErrors.PerhapsSent(txId);

        assertThat(dataOf(SpendRefusal.UpstreamFailed.afterSending(txId, false, "refused")))
                .isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.OutcomeUnknown(txId, false, "lost"))).isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.Contested(txId))).isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.UpstreamFailed("no node"))).isNull();
    }
}
