package org.chainwalletd.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
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

    @Test
    void a_step_passes_a_failure_on_with_its_cause_alone() {
        assertThat(Causes.passedOn(new CompletionException(new ExecutionException(REASON))))
                .hasCause(REASON);
    }

    @Test
    void a_stage_that_is_joined_gives_its_value_or_the_refusal_made_of_its_cause() throws IOException {
        assertThat(Causes.join(CompletableFuture.completedFuture("value"), IOException::new))
                .isEqualTo("value");
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new CompletionException(REASON));
        assertThatThrownBy(() -> Causes.join(failed, IllegalStateException::new))
                .isInstanceOf(IllegalStateException.class)
                .hasCause(REASON);
    }
}
