package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class ProcessEndTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final ProcessEnd end = new ProcessEnd(new ProcessEnd.Limits(LONG, LONG), code -> {});
    private final BlockingQueue<Integer> halted = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Test
    void whoever_started_a_thread_the_guardian_learns_that_an_error_has_ended_it() throws Exception {
        end.setThreadDeathReceiver(told::add);
        ExecutorService pool = Executors.newSingleThreadExecutor(this::thread);
        pool.execute(() -> {
            throw new StackOverflowError("the test's own");
        });

        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("thread of-the-test");
        pool.shutdown();
    }

    @Test
    void what_ended_during_the_start_is_reported_after_it() throws Exception {
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
        assertThat(ProcessEnd.Limits.of(Duration.ofSeconds(30)).stop()).isGreaterThan(Duration.ofSeconds(30 + 10));
    }

    @Test
    void a_lost_part_ends_the_process_in_the_same_time_however_long_the_drain_is() {
        for (int drain : List.of(0, 8, 600)) {
            ProcessEnd.Limits limits = ProcessEnd.Limits.of(Duration.ofSeconds(drain));
            assertThat(limits.lost()).isEqualTo(Duration.ofSeconds(20));
            assertThat(limits.stop()).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        }
    }

    @Test
    void a_stop_that_does_not_end_is_cut_off_after_the_time_of_a_stop() {
        new ProcessEnd(new ProcessEnd.Limits(SHORT, LONG), halted::add).stopInOrder();

        assertThat(halted).containsExactly(ExitCode.FAILED);
    }

    @Test
    void a_lost_part_that_does_not_end_is_cut_off_after_the_time_of_a_lost_part() {
        ProcessEnd losing = new ProcessEnd(new ProcessEnd.Limits(LONG, SHORT), halted::add);
        losing.await(CompletableFuture.completedFuture(null));

        losing.endInTime();

        assertThat(halted).containsExactly(ExitCode.FAILED);
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "of-the-test");
        thread.setUncaughtExceptionHandler(end);
        return thread;
    }

    @ParameterizedTest
    @CsvSource({"0, 30", "8, 30", "60, 82"})
    void the_stop_command_waits_longer_than_the_daemon_may_take(long drain, long wait) {
        assertThat(StopCommand.patience(Duration.ofSeconds(drain))).isEqualTo(Duration.ofSeconds(wait));
    }
}
