package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class OneByOneTest {
    private final List<Integer> begun = new ArrayList<>();
    private final List<CompletableFuture<Void>> steps = new ArrayList<>();

    private CompletableFuture<Void> step(int i) {
        begun.add(i);
        steps.add(new CompletableFuture<>());
        return steps.get(i);
    }

    @Test
    void a_step_begins_when_the_one_before_has_ended() {
        CompletableFuture<Void> row = OneByOne.run(2, Runnable::run, this::step);
        assertThat(begun).containsExactly(0);
        steps.get(0).complete(null);
        assertThat(begun).containsExactly(0, 1);
        assertThat(row).isNotDone();
        steps.get(1).complete(null);
        assertThat(row).isCompleted();
        assertThat(OneByOne.run(0, Runnable::run, this::step)).isCompleted();
    }

    @Test
    void a_step_that_fails_ends_the_row_with_its_failure() {
        CompletableFuture<Void> row = OneByOne.run(2, Runnable::run, this::step);
        steps.get(0).completeExceptionally(new IllegalStateException("broken"));
        assertThat(row).isCompletedExceptionally();
        assertThat(begun).containsExactly(0);
    }

    @Test
    void a_step_that_cannot_begin_ends_the_row_instead_of_leaving_it_open() {
        CompletableFuture<Void> row = OneByOne.run(2, Runnable::run, i -> {
            throw new RejectedExecutionException("the pool is closed");
        });
        assertThat(row).isCompletedExceptionally();
    }
}
