package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.chainwalletd.chain.Address;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Waits of all kinds, over HTTP/1.1 and HTTP/2, that are opened, left, answered and timed out leak nothing, whether the node behaves, has
 * quotas, or lies. One round of each by default, which shows that every wait and stream ends; with {@code -Dsoak.minutes=30} it runs that
 * long, and the heap after a collection, the threads and the open files must be flat. More waits per round with {@code -Dsoak.waits}.
 */
@Tag("long")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class WaitSoakTest {
    private static final int MINUTES = Integer.getInteger("soak.minutes", 0);
    private static final int WAITS = Integer.getInteger("soak.waits", 60);
    /** Growth caused by the chain of the soak itself and by uncollected garbage. */
    private static final double GROWTH = 1.1;

    private static final long SLACK = 8L << 20;
    /** Pools and the clients of this test create and end threads. */
    private static final long THREADS = 10;

    private static final long FILES = 50;

    /** Behaviour of the node in a round. */
    private enum Node {
        HONEST,
        LIMITED,
        LYING
    }

    /** Lies after which a daemon on a development chain, whose roots and work are not enforced, continues. */
    private static final List<String> LIES =
            List.of("tx_value", "script", "utxo_value", "balance", "forgetful", "omission", "height", "shape");

    /** Resources in use when no call is waiting. */
    private record Left(long heap, long threads, long files) {
        static Left now() {
            long heap = Long.MAX_VALUE;
            for (int i = 0; i < 3; i++) {
                System.gc();
                heap = Math.min(
                        heap,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                    ? system.getOpenFileDescriptorCount()
                    : 0;
            return new Left(heap, ManagementFactory.getThreadMXBean().getThreadCount(), files);
        }
    }

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final Random random = Seeded.random("WaitSoakTest");

    @AutoClose
    private DaemonRig daemon;

    private WalletdClient node;
    private WaitCallers callers;
    private String address;

    @BeforeEach
    void start() throws IOException {
        daemon = new DaemonRig(folder, chain.uri(), "--http2", "true");
        String token = Files.readString(folder.resolve("token-read")).strip();
        callers = new WaitCallers(daemon.uri(), token);
        node = new WalletdClient(chain.uri(), "none", Optional.empty());
        address = daemon.newAddress();
        chain.mine(1);
        daemon.awaitFollowed(chain.node());
    }

    @Test
    void waits_that_are_opened_left_answered_and_timed_out_leave_nothing_behind() throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        List<Left> left = new ArrayList<>();
        for (int round = 0; round < Node.values().length || System.nanoTime() < end; round++) {
            HangWatch.alive();
            become(Node.values()[round % Node.values().length]);
            round();
            Await.until("no wait and no stream is open", this::isQuiet);
            if (MINUTES > 0) {
                left.add(Left.now());
            }
        }
        if (MINUTES > 0) {
            tell(left);
            long early = early(left, Left::heap);
            assertThat(late(left, Left::heap)).isLessThanOrEqualTo((long) (early * GROWTH) + SLACK);
            assertThat(late(left, Left::threads)).isLessThanOrEqualTo(early(left, Left::threads) + THREADS);
            assertThat(late(left, Left::files)).isLessThanOrEqualTo(early(left, Left::files) + FILES);
        }
    }

    private void become(Node manner) {
        node.call("devnet_set", Map.of("quota", manner == Node.LIMITED, "lie", manner == Node.LYING ? lie() : "none"));
    }

    private String lie() {
        return LIES.get(random.nextInt(LIES.size()));
    }

    private void round() throws Exception {
        String cursor = daemon.call("list_credits", "from", "now", "address", address)
                .path("cursor")
                .asText();
        callers.begin();
        for (int i = 0; i < WAITS; i++) {
            switch (random.nextInt(6)) {
                case 0 -> callers.leave(forEver());
                case 1 -> callers.leaveStream(forEver(), random.nextBoolean());
                case 2, 3 -> callers.stayOnStream(answeredOrTimedOut(cursor));
                default -> callers.stay(answeredOrTimedOut(cursor));
            }
        }
        chain.fund(Address.parse(address), 1_000);
        callers.go();
        callers.hear();
    }

    /** Wait that is never answered. */
    private String forEver() {
        String unknown = unknown();
        return random.nextBoolean()
                ? rpc("wait_for_tx", "\"tx_id\":\"" + unknown + "\",\"timeout_secs\":600")
                : rpc("wait_for_payment", "\"address\":\"" + unknown + "\",\"timeout_secs\":600");
    }

    /** Some waits are answered by the payment of the round, some time out before it. */
    private String answeredOrTimedOut(String cursor) {
        int seconds = 1 + random.nextInt(3);
        String to = "\"address\":\"" + address + "\",";
        return switch (random.nextInt(4)) {
            case 0 -> rpc("wait_for_tx", "\"tx_id\":\"" + unknown() + "\",\"timeout_secs\":" + seconds);
            case 1 -> rpc("wait_for_payment", to + "\"timeout_secs\":" + seconds);
            case 2 -> rpc("wait_for_payment", to + "\"since_cursor\":\"" + cursor + "\",\"timeout_secs\":" + seconds);
            default -> rpc("list_credits", to + "\"cursor\":\"" + cursor + "\",\"wait_secs\":" + seconds);
        };
    }

    private String unknown() {
        return "%064x".formatted(random.nextLong() >>> 1);
    }

    private static String rpc(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "}}";
    }

    private boolean isQuiet() {
        return daemon.metrics()
                .lines()
                .filter(line -> line.startsWith("walletd_waits_open")
                        || line.startsWith("walletd_rpc_waits")
                        || line.startsWith("walletd_http_event_streams"))
                .allMatch(line -> line.endsWith(" 0.0"));
    }

    private static void tell(List<Left> left) {
        System.out.printf(Locale.ROOT, "rounds %d, waits %d%n", left.size(), left.size() * WAITS);
        int tenth = Math.max(1, left.size() / 10);
        for (int from = 0; from + tenth <= left.size(); from += tenth) {
            List<Left> part = left.subList(from, from + tenth);
            System.out.printf(
                    Locale.ROOT,
                    "from round %d: heap %d, threads %d, files %d%n",
                    from,
                    least(part, Left::heap),
                    least(part, Left::threads),
                    least(part, Left::files));
        }
    }

    /** Minimum of the second quarter, when everything is loaded and compiled. */
    private static long early(List<Left> left, ToLongFunction<Left> what) {
        return least(left.subList(left.size() / 4, left.size() / 2), what);
    }

    private static long late(List<Left> left, ToLongFunction<Left> what) {
        return least(left.subList(left.size() * 3 / 4, left.size()), what);
    }

    private static long least(List<Left> left, ToLongFunction<Left> what) {
        return left.stream().mapToLong(what).min().orElseThrow();
    }
}
