package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.chainwalletd.htlc.HtlcRefusal;
import org.junit.jupiter.api.Test;

class HtlcErrorsTest {
    @Test
    void every_refusal_has_an_error_that_was_chosen_for_it() {
        assertThat(HtlcErrors.known()).isEqualTo(Set.of(HtlcRefusal.class.getPermittedSubclasses()));
    }
}
