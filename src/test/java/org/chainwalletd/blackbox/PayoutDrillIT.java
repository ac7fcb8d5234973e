package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Payouts over HTTP against a development node with its quotas, while the packaged daemon is killed with SIGKILL: each is on the chain once. Every
 * payout has a different amount, so that the blocks alone show which were paid and how often. {@code -Ddrill.payouts=10000 -Ddrill.kills=3} makes
 * the test long; {@code -Ddrill.kills=0}, with or without {@code -Ddrill.coins=1}, measures the number of blocks without kills.
 */
@Tag("long")
class PayoutDrillIT {
    private static final int PAYOUTS = Integer.getInteger("drill.payouts", 400);
    private static final int KILLS = Integer.getInteger("drill.kills", 2);
    private static final int COINS = Integer.getInteger("drill.coins", 40);
    private static final long COIN = 400_000_000L / COINS;
    /** Maximum number of blocks after the last submission until 10,000 payouts are confirmed, from one coin and from 40. */
    private static final int MOST_BLOCKS = COINS < 40 ? 6 : 3;

    private static final long SMALLEST = 1_000L;
    private static final int PAGE = 1_000;
    private static final String RECIPIENT = "77".repeat(32);
    private static final String OTHER = "78".repeat(32);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withQuotas(true));

    @TempDir
    Path folder;

    private final Random random = Seeded.random("PayoutDrillIT");
    private final AtomicReference<DaemonProcess> daemon = new AtomicReference<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicBoolean paid = new AtomicBoolean();
    private final AtomicBoolean enough = new AtomicBoolean();
    private volatile String payer = "";
    private volatile double perSecond;

    @Test
    void each_payout_is_confirmed_once_however_often_the_daemon_is_killed() throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        SeededKeyring.in(folder.resolve("datadir"));
        try {
            Wallet wallet = new Wallet(start(), chain.uri());
            payer = wallet.payer(COINS, COIN);
            String rich = wallet.payer(COINS, COIN);
            wallet.mine(7);
            long funded = chain.node().tip().height();

            Future<Void> worker = clients.submit(this::submitAll);
            Future<Map<String, String>> reader = clients.submit(this::readFeed);
            Future<List<String>> lister = clients.submit(this::readSpends);
            Future<Set<String>> other = clients.submit(() -> transferAll(rich));
            int kills = 0;
            for (; kills < KILLS - 1; kills++) {
                int goal = PAYOUTS * kills / Math.max(1, KILLS - 1);
                Await.until("some more payouts are accepted", () -> accepted.get() >= goal);
                killAndRestart(random.nextInt(300));
            }
            Await.outcome(worker);
            if (KILLS > 0) {
                killAndRestart(random.nextInt(1_500));
            }
            int blocks = mineUntilConfirmed();
            if (KILLS == 0) {
                assertThat(blocks).isLessThanOrEqualTo(MOST_BLOCKS);
            }

            paid.set(true);
            Set<String> beside = Await.outcome(other);
            assertPaidOnce(funded);
            chain.node().mine(360);
            Await.until(
                    "all payouts are final",
                    () -> pages("payout_list", "payouts", Map.of("state", "final"))
                                    .size()
                            == PAYOUTS);
            Map<String, String> told = awaitTold(reader);
            assertThat(told).hasSize(PAYOUTS);
            assertThat(told.values()).containsOnly("final");
            assertThat(pages("payout_list", "payouts", Map.of())).hasSize(PAYOUTS);
            assertBatchesAreListedOnce();
            assertThat(Await.outcome(lister))
                    .as("own payments as a reader heard of them across kills")
                    .doesNotHaveDuplicates()
                    .isEqualTo(spends(Map.of(), "spend_id"));
            assertThat(spends(Map.of("kind", "transfer"), "client_token"))
                    .doesNotHaveDuplicates()
                    .containsAll(beside);
            assertPaidOnce(funded);
            assertThat(daemon.get().stop()).isZero();
            System.out.printf(
                    "PayoutDrillIT: %d payouts, %d kills, %.0f submitted/s, all confirmed %d blocks after the last was"
                            + " accepted%n",
                    PAYOUTS, KILLS, perSecond, blocks);
        } finally {
            paid.set(true);
            enough.set(true);
            clients.shutdownNow();
            if (daemon.get() != null) {
                daemon.get().close();
            }
        }
    }

    private DaemonProcess start() {
        DaemonProcess started = LauncherCall.daemon(folder.resolve("datadir"))
                .node(chain.uri())
                .and("--rebroadcast-interval-secs", "1")
                .start();
        daemon.set(started);
        return started;
    }

    private void killAndRestart(int millis) {
        HangWatch.alive();
        // Not a wait for a condition: the kill must come at any moment of a batch.
        Await.pause(millis);
        daemon.get().kill();
        start();
    }

    private static String id(int number) {
        return "drill-payout-" + number;
    }

    /** Submits like a worker whose answers may be lost: a submission without an answer is repeated unchanged. */
    private Void submitAll() {
        int atOnce = Math.min(1_000, Math.max(1, PAYOUTS / 10));
        long spent = 0;
        for (int first = 0; first < PAYOUTS; first += atOnce) {
            List<Map<String, Object>> orders = new ArrayList<>();
            for (int i = first; i < Math.min(PAYOUTS, first + atOnce); i++) {
                orders.add(Map.of("payout_id", id(i), "to", RECIPIENT, "amount", SMALLEST + i));
            }
            Map<String, Object> call = Map.of("payouts", orders, "from", Map.of("addresses", List.of(payer)));
            boolean answered = false;
            while (!answered) {
                long begun = System.nanoTime();
                answered = submitted(call, orders.size());
                spent += answered ? System.nanoTime() - begun : 0;
            }
            accepted.addAndGet(orders.size());
        }
        perSecond = PAYOUTS * 1e9 / spent;
        return null;
    }

    private boolean submitted(Map<String, Object> call, int count) {
        try {
            assertThat(daemon.get().call("payout_submit", call).get("payouts")).hasSize(count);
            return true;
        } catch (WalletdException.Transport killed) {
            Await.pause(5);
            return false;
        }
    }

    /** Follows the feed of changes across kills; returns the last reported state of each payout. */
    private Map<String, String> readFeed() {
        Map<String, String> last = new HashMap<>();
        Map<String, Object> call = new HashMap<>(Map.of("limit", PAGE, "wait_secs", 1));
        Map<String, JsonNode> heard = new HashMap<>();
        boolean over = false;
        while (!over) {
            try {
                boolean wasEnough = enough.get();
                JsonNode page = daemon.get().call("payout_changes", call);
                Set<String> once = new HashSet<>();
                for (JsonNode payout : page.get("payouts")) {
                    String id = payout.get("payout_id").asText();
                    assertThat(once.add(id)).as(id + " twice in a page").isTrue();
                    last.put(id, payout.get("state").asText());
                    ((ObjectNode) payout).remove(List.of("confirmations", "changed_at", "waiting_for"));
                    JsonNode before = heard.put(id, payout);
                    // A payout that can be in a block may have the same state again: a block was added and removed
                    // since.
                    if (Set.of("queued", "final").contains(last.get(id))) {
                        assertThat(payout).as("told again").isNotEqualTo(before);
                    }
                }
                call.put("cursor", page.get("cursor").asText());
                over = wasEnough && page.get("payouts").isEmpty();
            } catch (WalletdException.Transport killed) {
                Await.pause(5);
            }
        }
        return last;
    }

    /** Follows the list of the daemon's payments across kills; returns the reported numbers. */
    private List<String> readSpends() {
        List<String> told = new ArrayList<>();
        Map<String, Object> call = new HashMap<>(Map.of("limit", 3));
        boolean over = false;
        while (!over) {
            try {
                boolean wasEnough = enough.get();
                JsonNode page = daemon.get().call("list_spends", call);
                page.get("spends")
                        .forEach(spend -> told.add(spend.get("spend_id").asText()));
                call.put("cursor", page.get("cursor").asText());
                over = wasEnough && !page.get("more").asBoolean();
                if (!page.get("more").asBoolean()) {
                    Await.pause(5);
                }
            } catch (WalletdException.Transport killed) {
                Await.pause(5);
            }
        }
        return told;
    }

    /** Makes transfers concurrently with the queue until all payouts are in blocks; returns the tokens that were answered. */
    private Set<String> transferAll(String from) {
        Set<String> answered = new HashSet<>();
        while (KILLS > 0 && !paid.get()) {
            String token = "beside-" + answered.size();
            try {
                daemon.get().call("transfer", Wallet.payment(from, token, new Wallet.Output(OTHER, SMALLEST)));
                answered.add(token);
            } catch (WalletdException notYet) {
                // The daemon was killed, or all coins are in flight until the next block: the same token is paid later.
                Await.pause(20);
            }
        }
        return answered;
    }

    private List<String> spends(Map<String, Object> filter, String column) {
        return pages("list_spends", "spends", filter).stream()
                .map(spend -> spend.get(column).asText())
                .toList();
    }

    private Map<String, String> awaitTold(Future<Map<String, String>> reader) {
        enough.set(true);
        return Await.outcome(reader);
    }

    /** Mines whenever all that can be sent is in the mempool; the first block is removed once. Returns the number of blocks. */
    private int mineUntilConfirmed() {
        int blocks = 0;
        while (pages("payout_list", "payouts", Map.of("state", "confirmed")).size() < PAYOUTS) {
            Await.until("everything is in a block or in the mempool, or waits for a block", this::isBlockDue);
            HangWatch.alive();
            chain.mine(1);
            blocks++;
            if (blocks == 1 && KILLS > 0) {
                chain.node().reorganise(1, true, List.of());
            }
            awaitFollowed();
        }
        return blocks;
    }

    private void awaitFollowed() {
        long tip = chain.node().tip().height();
        Await.until(
                "the newest block is followed",
                () -> daemon.get()
                                .call("get_block_height", Map.of())
                                .path("height")
                                .longValue()
                        >= tip);
    }

    private boolean isBlockDue() {
        Set<String> waiting = new HashSet<>();
        for (JsonNode payout : pages("payout_list", "payouts", Map.of("state", "queued"))) {
            waiting.add(payout.path("waiting_for").asText());
        }
        Set<String> sent = new HashSet<>();
        for (JsonNode payout : pages("payout_list", "payouts", Map.of("state", "in_flight"))) {
            JsonNode attempts = payout.get("attempts");
            sent.add(attempts.get(attempts.size() - 1).asText());
        }
        Ledger ledger = chain.node().ledger();
        boolean known = sent.stream()
                .allMatch(txId -> ledger.transaction(Hash256.parse(txId)).isPresent());
        boolean stuck = waiting.stream().allMatch("next_block"::equals);
        return known && stuck || waiting.isEmpty() && sent.isEmpty();
    }

    private List<JsonNode> pages(String method, String items, Map<String, Object> filter) {
        List<JsonNode> all = new ArrayList<>();
        Map<String, Object> call = new HashMap<>(filter);
        call.put("limit", PAGE);
        boolean more = true;
        while (more) {
            JsonNode page = daemon.get().call(method, call);
            page.get(items).forEach(all::add);
            more = page.path("more").asBoolean();
            call.put("cursor", page.path("cursor").asText());
        }
        return all;
    }

    /** Asserts that the blocks pay each amount to the recipient once. */
    private void assertPaidOnce(long since) {
        Ledger ledger = chain.node().ledger();
        Map<Long, Integer> times = new HashMap<>();
        for (long height = since + 1; height <= ledger.tip().height(); height++) {
            ledger.blockAt(height)
                    .orElseThrow()
                    .block()
                    .transactions()
                    .forEach(tx -> tx.outputs().stream()
                            .filter(PayoutDrillIT::isPayout)
                            .forEach(output -> times.merge(output.value().bits(), 1, Integer::sum)));
        }
        Map<Long, Integer> expected = new HashMap<>();
        for (int i = 0; i < PAYOUTS; i++) {
            expected.put(SMALLEST + i, 1);
        }
        assertThat(times).isEqualTo(expected);
    }

    private static boolean isPayout(TxOutput output) {
        return output.address().filter(to -> to.toString().equals(RECIPIENT)).isPresent();
    }

    /** Asserts that the list of the daemon's payments contains each batch that paid a payout once. */
    private void assertBatchesAreListedOnce() {
        Set<String> batches = new HashSet<>();
        for (JsonNode payout : pages("payout_list", "payouts", Map.of())) {
            payout.get("attempts").forEach(attempt -> batches.add(attempt.asText()));
        }
        List<String> listed = new ArrayList<>();
        for (JsonNode spend : pages("list_spends", "spends", Map.of("kind", "payout_batch"))) {
            listed.add(spend.get("tx_id").asText());
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(batches);
    }
}
