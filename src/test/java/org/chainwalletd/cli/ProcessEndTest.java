package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ProcessEndTest {
    private final ProcessEnd end = new ProcessEnd(Duration.ofSeconds(30));
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Test
    void whoever_started_a_thread_the_guardian_hears_that_an_error_has_ended_it() throws Exception {
        end.setThreadDeathReceiver(told::add);
        ExecutorService pool = Executors.newSingleThreadExecutor(this::thread);
        pool.execute(() -> {
            throw new StackOverflowError("the test's own");
        });

        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("thread of-the-test");
        pool.shutdown();
    }

    @Test
    void what_ended_during_the_start_is_told_after_it() throws Exception {
        Thread thread = thread(() -> {
            throw new NoClassDefFoundError("the test's own");
        });
        thread.start();
        thread.join(20_000);

        end.setThreadDeathReceiver(told::add);

        assertThat(told).containsExactly("thread of-the-test");
    }

    @Test
    void a_pool_whose_queue_has_lost_its_lock_is_told_as_well() throws Exception {
        end.setThreadDeathReceiver(told::add);
        Thread thread = thread(() -> {
            throw new IllegalMonitorStateException("the test's own");
        });
        thread.start();
        thread.join(20_000);

        assertThat(told).containsExactly("thread of-the-test");
    }

    @Test
    void an_exception_of_one_task_is_no_reason_to_end() throws Exception {
        end.setThreadDeathReceiver(told::add);
        Thread thread = thread(() -> {
            throw new IllegalStateException("the test's own");
        });
        thread.start();
        thread.join(20_000);

        assertThat(told).isEmpty();
    }

    @Test
    void a_daemon_that_gave_up_ends_with_a_failure() {
        assertThat(end.await(CompletableFuture.completedFuture(null))).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void an_orderly_stop_may_take_longer_than_the_calls_in_progress_get() {
        assertThat(end.limit()).isGreaterThan(Duration.ofSeconds(30 + 10));
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "of-the-test");
        thread.setUncaughtExceptionHandler(end);
        return thread;
    }
}
