package org.chainwalletd.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private static final IOException REASON = new IOException("gone");

    @Test
    void whatever_is_wrapped_around_a_failure_is_taken_off() {
        assertThat(Causes.of(new CompletionException(new ExecutionException(new CompletionException(REASON)))))
                .isSameAs(REASON);
        assertThat(Causes.of(REASON)).isSameAs(REASON);
        assertThat(Causes.of(null)).isNull();
    }

    @Test
    void a_wrapper_around_nothing_is_the_failure() {
        CompletionException empty = new CompletionException("no cause", null);
        assertThat(Causes.of(empty)).isSameAs(empty);
    }
}
