package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

class LookClientTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final List<CompletableFuture<Optional<NodeClient.BlockSummary>>> open = new ArrayList<>();
    private long now;

    private final LookClient client = new LookClient(
            Stub.of(NodeClient.class, call -> {
                CompletableFuture<Optional<NodeClient.BlockSummary>> answer = new CompletableFuture<>();
                open.add(answer);
                return answer;
            }),
            TIMEOUT,
            Runnable::run,
            () -> now);

    /** Sends requests that are all answered after this time; returns whether none was refused. */
    private boolean answers(int requests, Duration time) {
        return answers(requests, time, () -> client.blockAt(1));
    }

    private boolean sendsTransactions(int requests, Duration time) {
        return answers(requests, time, () -> client.transaction(Hash256.ZERO));
    }

    private boolean answers(int requests, Duration time, Supplier<CompletionStage<?>> request) {
        List<CompletionStage<?>> sent = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            sent.add(request.get());
        }
        now += time.toNanos();
        open.forEach(answer -> answer.complete(Optional.empty()));
        open.clear();
        return sent.stream().noneMatch(answer -> answer.toCompletableFuture().isCompletedExceptionally());
    }

    @Test
    void answers_just_before_their_timeout_end_a_look() {
        int count = 0;
        while (answers(1, TIMEOUT)) {
            count++;
        }

        assertThat(count).isEqualTo(7);
    }

    @Test
    void prompt_answers_end_no_look_and_save_no_time_for_late_ones() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(answers(1, Duration.ofMillis(500))).isTrue();
        }

        answers_just_before_their_timeout_end_a_look();
    }

    @Test
    void late_transactions_end_a_walk_however_many_are_requested_together() {
        int count = 0;
        while (count < 1_000 && sendsTransactions(16, TIMEOUT.multipliedBy(3).dividedBy(4))) {
            count++;
        }

        assertThat(count).isLessThan(20);
    }

    @Test
    void transactions_that_are_sent_within_a_second_end_no_walk() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(sendsTransactions(2, Duration.ofSeconds(1))).isTrue();
            assertThat(sendsTransactions(16, Duration.ofSeconds(1))).isTrue();
        }
    }

    @Test
    void requests_that_are_open_together_use_the_time_once_and_a_pause_between_requests_uses_none() {
        assertThat(answers(16, TIMEOUT.multipliedBy(5))).isTrue();
        now += TIMEOUT.multipliedBy(100).toNanos();

        assertThat(answers(1, TIMEOUT)).isTrue();
        assertThat(answers(1, TIMEOUT)).isTrue();
    }
}
