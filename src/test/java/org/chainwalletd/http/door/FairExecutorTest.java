package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.chainwalletd.rpc.ClientPresence;
import org.junit.jupiter.api.Test;

class FairExecutorTest {
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final FairExecutor turns = new FairExecutor(threads::add, 1);

    @Test
    void nobody_waits_behind_all_of_others_work() {
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            turns.of("greedy").execute(() -> done.add("greedy " + number));
        }
        turns.of("modest").execute(() -> done.add("modest"));

        run();

        assertThat(done).hasSize(1_001).startsWith("greedy 0", "modest", "greedy 1", "greedy 2");
    }

    @Test
    void work_that_fails_keeps_nothing_back() {
        turns.of("a").execute(() -> {
            throw new IllegalStateException("broken on purpose");
        });
        turns.of("a").execute(() -> done.add("a"));
        turns.of("b").execute(() -> done.add("b"));

        run();

        assertThat(done).containsExactlyInAnyOrder("a", "b");
        turns.of("a").execute(() -> done.add("later"));
        run();
        assertThat(done).contains("later");
    }

    @Test
    void no_more_run_at_a_time_than_may() {
        FairExecutor two = new FairExecutor(threads::add, 2);
        for (int i = 0; i < 10; i++) {
            two.of("a").execute(() -> done.add("a"));
        }

        assertThat(threads).hasSize(2);
        run();
        assertThat(done).hasSize(10);
    }

    @Test
    void nothing_is_kept_of_work_whose_client_leaves_before_its_turn() {
        ClientPresence leaves = new ClientPresence();
        ClientPresence stays = new ClientPresence();
        for (int i = 0; i < 3; i++) {
            turns.whileThere("a", leaves, () -> done.add("done"), () -> done.add("dropped"));
        }
        turns.whileThere("a", stays, () -> done.add("stays"), () -> done.add("dropped"));
        turns.whileThere("b", leaves, () -> done.add("done"), () -> done.add("dropped"));
        assertThat(turns.waiting("a")).isEqualTo(4);

        leaves.leave();
        turns.whileThere("a", leaves, () -> done.add("done"), () -> done.add("dropped"));

        assertThat(turns.waiting("a")).isEqualTo(1);
        assertThat(turns.waiting("b")).isZero();
        assertThat(done).hasSize(5).containsOnly("dropped");
        run();
        assertThat(done).hasSize(6).endsWith("stays");
        assertThat(stays.listeners()).isZero();
        turns.of("b").execute(() -> done.add("later"));
        run();
        assertThat(done).endsWith("later");
    }

    @Test
    void work_that_has_begun_is_done_although_its_client_leaves() {
        ClientPresence client = new ClientPresence();
        turns.whileThere(
                "a",
                client,
                () -> {
                    client.leave();
                    done.add("done");
                },
                () -> done.add("dropped"));

        run();

        assertThat(done).containsExactly("done");
    }

    private void run() {
        while (!threads.isEmpty()) {
            try {
                threads.remove().run();
            } catch (IllegalStateException onPurpose) {
                assertThat(onPurpose).hasMessage("broken on purpose");
            }
        }
    }
}
