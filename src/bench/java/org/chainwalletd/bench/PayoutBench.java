package org.chainwalletd.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;

/**
 * Measures a long queue of payouts over HTTP: the rate at which it is submitted in calls of 1,000, the heap that stays for each queued payout, and
 * the time of a page of {@code payout_list} and {@code payout_changes} wherever it begins. The payer has no coins, so that all of them wait. {@code
 * PayoutBench [payouts] [clients]}
 */
public final class PayoutBench {
    private static final int AT_ONCE = 1_000;
    private static final int PAGES = 15;
    private static final String RECIPIENT = "77".repeat(32);

    private final DaemonRig daemon;
    private final Party payer;

    private PayoutBench(DaemonRig daemon, Party payer) {
        this.daemon = daemon;
        this.payer = payer;
    }

    public static void main(String[] args) throws Exception {
        int payouts = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        int clients = args.length > 1 ? Integer.parseInt(args[1]) : 4;
        Path datadir = Files.createTempDirectory("payout-bench");
        try (DaemonRig daemon = DaemonRig.withChain(datadir, "--payout-queue-max", String.valueOf(2 * payouts))) {
            PayoutBench bench = new PayoutBench(daemon, daemon.imported(91));
            // Warms up what is measured afterwards.
            bench.submit(0, 10 * AT_ONCE, clients);
            bench.run(payouts, clients);
        }
    }

    private void run(int payouts, int clients) throws Exception {
        long heap = liveHeap();
        double seconds = submit(10 * AT_ONCE, payouts, clients);
        awaitCounted(payouts + 10 * AT_ONCE);
        System.out.printf(
                Locale.ROOT,
                "payouts, submitted by %d clients  %.0f/s  %d bytes of heap stay for each queued one%n",
                clients,
                payouts / seconds,
                (liveHeap() - heap) / payouts);
        page("payout_list, from the beginning", "payout_list", Map.of());
        page("payout_list, from the middle", "payout_list", Map.of("cursor", String.valueOf(payouts / 2)));
        page("payout_list, queued, near the end", "payout_list", Map.of("state", "queued", "cursor", "" + payouts));
        page("payout_list, held, of which there is none", "payout_list", Map.of("state", "held"));
        page("payout_list, waiting for coins", "payout_list", Map.of("waiting_for", "coins"));
        page("payout_list, waiting for a node, as none does", "payout_list", Map.of("waiting_for", "node"));
        page("payout_changes, from the beginning", "payout_changes", Map.of());
    }

    /** @return how long it took, in seconds */
    private double submit(int first, int count, int clients) throws Exception {
        AtomicInteger next = new AtomicInteger(first);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        long begun = System.nanoTime();
        try {
            List<Future<?>> lanes = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                lanes.add(threads.submit(() -> {
                    for (int from = next.getAndAdd(AT_ONCE); from < first + count; from = next.getAndAdd(AT_ONCE)) {
                        submit(from);
                    }
                }));
            }
            for (Future<?> lane : lanes) {
                lane.get();
            }
        } finally {
            threads.shutdownNow();
        }
        return (System.nanoTime() - begun) / 1e9;
    }

    private void submit(int from) {
        List<Map<String, Object>> orders = new ArrayList<>();
        for (int i = from; i < from + AT_ONCE; i++) {
            orders.add(Map.of("payout_id", "bench-payout-" + i, "to", RECIPIENT, "amount", 1_000 + i));
        }
        daemon.call(
                "payout_submit",
                Map.of("payouts", orders, "from", Map.of("addresses", List.of(payer.address.toString()))));
    }

    private void awaitCounted(int payouts) {
        Await.until(
                "the queue has taken them all",
                () -> daemon.metrics()
                        .lines()
                        .filter(line -> line.startsWith("walletd_payouts_waiting"))
                        .anyMatch(line -> line.endsWith(" " + payouts + ".0")));
    }

    private void page(String name, String method, Map<String, Object> params) {
        Map<String, Object> call = new HashMap<>(params);
        call.put("limit", 100);
        double[] millis = new double[PAGES];
        int items = 0;
        for (int i = 0; i < PAGES; i++) {
            long begun = System.nanoTime();
            JsonNode page = daemon.call(method, call);
            millis[i] = (System.nanoTime() - begun) / 1e6;
            items = page.get("payouts").size();
        }
        Arrays.sort(millis);
        System.out.printf(Locale.ROOT, "%s  %.1f ms for a page of %d%n", name, millis[PAGES / 2], items);
    }

    private static long liveHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
