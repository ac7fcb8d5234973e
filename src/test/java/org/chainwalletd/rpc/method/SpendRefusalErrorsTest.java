package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.junit.jupiter.api.Test;

class SpendRefusalErrorsTest {
    @Test
    void every_refusal_has_an_error_of_its_own_and_none_becomes_upstream_silently() {
        Set<Class<?>> refusals = new HashSet<>(Arrays.asList(SpendRefusal.class.getPermittedSubclasses()));

        assertThat(new HashSet<Class<?>>(SpendErrors.known())).isEqualTo(refusals);
    }
}
