package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class BoundedTest {
    private static final Executor HERE = Runnable::run;

    private final List<Integer> asked = new ArrayList<>();

    @Test
    void a_question_that_cannot_be_asked_fails_them_all_and_nothing_is_asked_after_it() {
        CompletionStage<List<Integer>> answers = Bounded.each(List.of(1, 2, 3), 1, this::unlessTwo, HERE);

        assertThatThrownBy(() -> Await.result(answers)).hasMessageContaining("not two");
        assertThat(asked).containsExactly(1);
    }

    @Test
    void the_first_question_that_cannot_be_asked_fails_them_all() {
        CompletionStage<List<Integer>> answers = Bounded.each(List.of(2, 1, 3), 2, this::unlessTwo, HERE);

        assertThatThrownBy(() -> Await.result(answers)).hasMessageContaining("not two");
        assertThat(asked).isEmpty();
    }

    private CompletionStage<Integer> unlessTwo(int item) {
        if (item == 2) {
            throw new IllegalStateException("not two");
        }
        asked.add(item);
        return CompletableFuture.completedFuture(item);
    }
}
