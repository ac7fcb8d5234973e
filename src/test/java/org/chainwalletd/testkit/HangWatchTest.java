package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class HangWatchTest {
    @TempDir
    private Path folder;

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Tests that hang on request, with short limits only meanwhile, because a busy machine may be slow before and after. */
    @EnabledIfSystemProperty(named = "hanging", matches = "true")
    static final class Hanging {
        @Test
        void waits() throws InterruptedException {
            HangWatch.Limits before = HangWatch.limit(new HangWatch.Limits(SECOND, Duration.ofMinutes(5)));
            try {
                new CountDownLatch(1).await();
            } finally {
                HangWatch.limit(before);
            }
        }
    }

    @EnabledIfSystemProperty(named = "hanging", matches = "true")
    static final class Deaf {
        @Test
        void spins() {
            HangWatch.limit(new HangWatch.Limits(SECOND, SECOND));
            for (long rounds = 0; rounds >= 0; rounds++) {
                LockSupport.parkNanos(1_000);
            }
        }
    }

    /** Runs the tests of one class as a test runner does; prints the number of failures. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws ClassNotFoundException {
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(Class.forName(args[0])))
                                    .build(),
                            summary);
            System.out.println("failed: " + summary.getSummary().getTestsFailedCount());
            System.exit(0);
        }
    }

    @Test
    void a_test_that_hangs_fails_and_the_stacks_of_all_threads_are_reported() throws Exception {
        Process process = run(Hanging.class);

        assertThat(Await.exit(process)).isZero();
        assertThat(said())
                .contains(
                        "Nothing has happened for 1 s since",
                        "[method:waits()]",
                        "HangWatchTest$Hanging.waits(",
                        "\"hang-watch\"")
                .contains("failed: 1");
        try (var left = Files.list(folder.resolve("target"))) {
            assertThat(left)
                    .singleElement()
                    .satisfies(file -> assertThat(file).content().contains("Hanging.waits("));
        }
    }

    @Test
    void a_test_that_cannot_be_interrupted_ends_the_process() throws Exception {
        Process process = run(Deaf.class);

        assertThat(Await.exit(process)).isEqualTo(HangWatch.EXIT);
        assertThat(said()).contains("HangWatchTest$Deaf.spins(").doesNotContain("failed:");
    }

    private Process run(Class<?> tests) throws Exception {
        return ChildJvm.of(List.of("-Dhanging=true"), Main.class, tests.getName())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
    }

    private String said() throws Exception {
        return Files.readString(folder.resolve("said"));
    }
}
