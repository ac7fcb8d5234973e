package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ClassFiles;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.Test;

/**
 * Checks that no test can wait forever: blocking calls go through {@link Await} and {@link Dial}, which time out. Anything that slips through
 * (a read from a socket opened elsewhere, a loop without progress) is ended by {@link org.chainwalletd.testkit.HangWatch}.
 */
class BoundedWaitsTest {
    private static final JavaClasses TESTS = ClassFiles.ofTheTests();

    /** Methods that wait without a limit: the type, and its methods with their number of parameters. */
    private static final Map<Class<?>, Set<String>> FOR_EVER = Map.ofEntries(
            Map.entry(Future.class, Set.of("get/0")),
            Map.entry(CompletableFuture.class, Set.of("join/0")),
            Map.entry(ForkJoinTask.class, Set.of("join/0", "invoke/0", "quietlyJoin/0")),
            Map.entry(
                    Process.class,
                    Set.of(
                            "waitFor/0",
                            "getInputStream/0",
                            "getErrorStream/0",
                            "inputReader/0",
                            "inputReader/1",
                            "errorReader/0",
                            "errorReader/1")),
            Map.entry(Thread.class, Set.of("join/0", "sleep/1", "sleep/2", "onSpinWait/0", "yield/0")),
            Map.entry(
                    LockSupport.class,
                    Set.of("park/0", "park/1", "parkNanos/1", "parkNanos/2", "parkUntil/1", "parkUntil/2")),
            Map.entry(Object.class, Set.of("wait/0")),
            Map.entry(CountDownLatch.class, Set.of("await/0")),
            Map.entry(CyclicBarrier.class, Set.of("await/0")),
            Map.entry(Condition.class, Set.of("await/0", "awaitUninterruptibly/0")),
            Map.entry(Phaser.class, Set.of("arriveAndAwaitAdvance/0", "awaitAdvance/1", "awaitAdvanceInterruptibly/1")),
            Map.entry(Exchanger.class, Set.of("exchange/1")),
            Map.entry(
                    Semaphore.class,
                    Set.of("acquire/0", "acquire/1", "acquireUninterruptibly/0", "acquireUninterruptibly/1")),
            Map.entry(BlockingQueue.class, Set.of("take/0", "put/1")),
            Map.entry(BlockingDeque.class, Set.of("takeFirst/0", "takeLast/0", "putFirst/1", "putLast/1")),
            Map.entry(TransferQueue.class, Set.of("transfer/1")),
            Map.entry(CompletionService.class, Set.of("take/0")),
            Map.entry(ExecutorService.class, Set.of("invokeAll/1", "invokeAny/1")),
            Map.entry(Selector.class, Set.of("select/0")),
            Map.entry(HttpRequest.class, Set.of("newBuilder/0", "newBuilder/1")),
            Map.entry(Socket.class, Set.of("<init>/0", "<init>/1", "<init>/2", "<init>/4")));

    /** Exceptions: they time out by themselves, or a thread that no test waits for reads a daemon's output. */
    private static final Set<String> MAY = Set.of(
            "HangWatch.watch",
            "HangWatch.isAliveWithin",
            "Await.until",
            "Await.pause",
            "Await.reader",
            "Dial.request",
            "Dial.unconnected",
            "DaemonProcess.<init>");

    /** Loop that does nothing but poll. */
    private static final Pattern IDLE_LOOP = Pattern.compile(
            "((?<!} )while|for) "
                    + "\\((;;|([^();]|\\(([^();]|\\(([^();]|\\([^();]*\\))*\\))*\\))*)\\)\\s*(\\{\\s*}|;)|do \\{\\s*}\\s*while");

    @Test
    void whatever_a_test_waits_for_it_gives_up_in_the_end() {
        Set<String> waits = waitsOf(TESTS);
        waits.removeIf(wait -> wait.contains(Hanging.class.getName()) || wait.contains("HangWatchTest$"));

        assertThat(TESTS).isNotEmpty();
        assertThat(waits).as("use Await and Dial").isEmpty();
    }

    private static Set<String> waitsOf(JavaClasses classes) {
        return classes.stream()
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .filter(access -> access.getTarget() instanceof CodeUnitAccessTarget unit && isForEver(unit))
                .filter(access -> !MAY.contains(access.getOriginOwner().getSimpleName() + "."
                        + access.getOrigin().getName()))
                .map(JavaAccess::getDescription)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void no_loop_only_asks_again() throws IOException {
        assertThat(List.of("while (x(y()) > 1) {\n}", "for (;;) {\n}", "while (!done);", "do {\n} while (x());"))
                .allMatch(IDLE_LOOP.asPredicate());
        try (Stream<Path> sources = Files.walk(Path.of("src/test/java"))) {
            for (Path source :
                    sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                if (source.endsWith("BoundedWaitsTest.java")) {
                    continue;
                }
                assertThat(IDLE_LOOP.matcher(Files.readString(source)).results().map(MatchResult::group))
                        .as("use Await.until in %s", source)
                        .isEmpty();
            }
        }
    }

    @Test
    void a_wait_without_a_bound_is_noticed() {
        assertThat(waitsOf(TESTS.that(are(Hanging.class)))).hasSize(4);
    }

    private static DescribedPredicate<JavaClass> are(Class<?> type) {
        return DescribedPredicate.describe("are " + type, found -> found.isEquivalentTo(type));
    }

    /** Never called. */
    private static final class Hanging {
        private static List<String> hang(CompletableFuture<String> future, Process process) throws Exception {
            future.join();
            new FutureTask<>(process::waitFor).get();
            return Stream.of(future).map(CompletableFuture::join).toList();
        }
    }

    private static boolean isForEver(CodeUnitAccessTarget called) {
        String signature =
                called.getName() + "/" + called.getRawParameterTypes().size();
        return FOR_EVER.entrySet().stream()
                .anyMatch(known ->
                        known.getValue().contains(signature) && ClassFiles.isA(called.getOwner(), known.getKey()));
    }
}
