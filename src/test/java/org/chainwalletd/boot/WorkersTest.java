package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WorkersTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Workers workers = new Workers(1, 1, 2, meters);

    @AfterEach
    void stop() {
        workers.close(Duration.ofSeconds(5));
    }

    @Test
    void a_pool_is_full_when_as_much_waits_as_may_and_still_takes_what_belongs_to_calls_in_work() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(4);
        workers.upstream().execute(() -> {
            awaitQuietly(gate);
            done.countDown();
        });
        Await.until("the thread has its task", () -> queued("upstream") == 0);
        workers.upstream().execute(done::countDown);
        assertThat(workers.full()).isFalse();
        workers.upstream().execute(done::countDown);
        assertThat(workers.full()).isTrue();
        assertThat(queued("upstream")).isEqualTo(2);
        workers.upstream().execute(done::countDown);

        gate.countDown();

        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        Await.until("nothing waits", () -> !workers.full());
    }

    @Test
    void what_an_answers_thread_hands_on_runs_on_it_at_once_but_not_without_end() throws Exception {
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Integer> depth = new CompletableFuture<>();
        workers.answers().execute(() -> nest(threads, depth));

        assertThat(Await.outcome(depth)).isBetween(1, 20);
        assertThat(threads).hasSize(100).containsOnly(threads.get(0));
    }

    /** Submits nested tasks a hundred levels deep and reports the depth of the stack. */
    private void nest(List<Thread> threads, CompletableFuture<Integer> deepest) {
        threads.add(Thread.currentThread());
        if (threads.size() == 100) {
            long depth = StackWalker.getInstance()
                    .walk(frames -> frames.filter(frame -> frame.getMethodName().equals("nest"))
                            .count());
            deepest.complete((int) depth);
            return;
        }
        workers.answers().execute(() -> nest(threads, deepest));
    }

    private double queued(String pool) {
        return meters.get("walletd.worker.queue").tag("pool", pool).gauge().value();
    }

    private static void awaitQuietly(CountDownLatch gate) {
        try {
            gate.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
