package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class SocketLoopTest {
    private final CompletableFuture<Void> died = new CompletableFuture<>();
    private final SocketLoop loop = SocketLoop.start(() -> died.complete(null));

    @Test
    void a_thread_that_ends_by_an_error_says_so_and_takes_no_more_work() throws Exception {
        loop.execute(() -> {
            throw new AssertionError("the test ends this thread; its stack trace is no failure");
        });

        Await.outcome(died);

        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void one_failing_task_does_not_end_the_thread() throws Exception {
        CompletableFuture<Void> next = new CompletableFuture<>();
        loop.execute(() -> {
            throw new IllegalStateException("the test's own");
        });
        loop.execute(() -> next.complete(null));

        Await.outcome(next);

        assertThat(died).isNotDone();
        loop.close();
    }

    @Test
    void a_closed_loop_has_not_died() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        loop.execute(() -> thread.complete(Thread.currentThread()));
        Thread carrier = Await.outcome(thread);

        loop.close();

        Await.until("the thread has ended", () -> !carrier.isAlive());
        assertThat(died).isNotDone();
    }
}
