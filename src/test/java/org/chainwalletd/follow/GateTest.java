package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.follow.Walk.Gate;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class GateTest {
    private final Gate gate = new Gate(2);
    private final List<CompletableFuture<Integer>> begun = new ArrayList<>();

    private CompletionStage<Integer> ask() {
        return gate.pass(() -> {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            begun.add(answer);
            return answer;
        });
    }

    @Test
    void no_more_are_under_way_than_it_is_wide_and_each_that_ends_lets_the_next_one_in() {
        CompletableFuture<Integer> first = ask().toCompletableFuture();
        ask();
        CompletableFuture<Integer> third = ask().toCompletableFuture();
        assertThat(begun).hasSize(2);

        begun.get(1).complete(7);
        assertThat(begun).hasSize(3);
        begun.get(2).complete(8);
        assertThat(Await.result(third)).isEqualTo(8);
        assertThat(first).isNotDone();

        ask();
        ask();
        assertThat(begun).as("there is room for one beside the first").hasSize(4);
    }

    @Test
    void one_that_fails_makes_room_as_well() {
        CompletableFuture<Integer> first = ask().toCompletableFuture();
        ask();
        ask();
        begun.get(0).completeExceptionally(new IllegalStateException("no node"));

        assertThat(begun).hasSize(3);
        assertThatThrownBy(() -> Await.result(first)).hasMessageContaining("no node");
    }
}
