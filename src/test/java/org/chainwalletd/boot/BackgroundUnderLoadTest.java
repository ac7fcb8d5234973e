package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stops and restarts background work repeatedly while a daemon pays and creates keys (scale-out.md, section 4): every token ends up paid
 * exactly once, and no credit is missed or reported twice. Payments are identified on the chain by their amounts.
 */
@Tag("long")
@Timeout(300)
class BackgroundUnderLoadTest {
    private static final int ROUNDS = Integer.getInteger("background.rounds", 12);
    private static final int PAYERS = 3;
    private static final int PAYMENTS = 15;
    private static final int MINTS = 15;
    private static final long FUNDING = 1_000_000L;
    private static final long FIRST_AMOUNT = 10_000L;

    @TempDir
    Path folder;

    private final Random random = Seeded.random("BackgroundUnderLoadTest");

    @AutoClose("shutdownNow")
    private final ExecutorService callers = Executors.newCachedThreadPool();

    private final AtomicLong mined = new AtomicLong();
    /** Amounts of external deposits by address. */
    private final Map<String, Long> deposits = new ConcurrentHashMap<>();

    @AutoClose
    private DaemonRig daemon;

    @BeforeEach
    void start() {
        daemon = DaemonRig.withChain(folder);
    }

    @Test
    void all_tokens_end_paid_once_and_no_credit_is_missed() {
        String shop = daemon.newAddress();
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < PAYERS; i++) {
            String payer = daemon.newAddress();
            for (int coin = 0; coin < 5; coin++) {
                give(payer, FUNDING);
            }
            int number = i;
            work.add(callers.submit(() -> pay(number, payer, shop)));
        }
        mine(1);
        work.add(callers.submit(this::mint));

        int rounds = 0;
        while (rounds < ROUNDS || !work.stream().allMatch(Future::isDone)) {
            HangWatch.alive();
            daemon.daemon().keeper().stop();
            mine(1 + random.nextInt(3));
            if (random.nextInt(3) == 0) {
                daemon.devnet().reorg(1 + random.nextInt(2));
            }
            daemon.call("get_status");
            daemon.daemon().keeper().start();
            mine(1);
            if (random.nextInt(2) == 0) {
                daemon.awaitFollowed();
            }
            rounds++;
        }
        work.forEach(Await::outcome);
        mine(1);
        daemon.awaitFollowed();
        Await.until(
                "nothing is in flight",
                () -> daemon.call("get_status").path("in_flight_transfers").asInt() == 0);

        assertThat(coins(shop)).containsExactlyInAnyOrderElementsOf(amounts());
        assertThat(credits(Optional.of(shop)).values()).containsExactlyInAnyOrderElementsOf(amounts());
        // A deposit whose inputs a reorganisation has removed is no longer on the chain either: mempools accept no
        // unconfirmed inputs.
        Map<String, List<Long>> arrived = new HashMap<>();
        deposits.keySet().forEach(address -> arrived.put(address, coins(address)));
        assertThat(arrived.values())
                .as("deposits on the chain")
                .anySatisfy(coins -> assertThat(coins).isNotEmpty());
        arrived.forEach((address, coins) ->
                assertThat(credits(Optional.of(address)).values()).as(address).containsExactlyElementsOf(coins));
        assertThat(credits(Optional.empty()).values())
                .containsAll(arrived.values().stream().flatMap(List::stream).toList());
    }

    private static List<Long> amounts() {
        List<Long> amounts = new ArrayList<>();
        for (long i = 0; i < PAYERS * PAYMENTS; i++) {
            amounts.add(FIRST_AMOUNT + i);
        }
        return amounts;
    }

    private void mine(int blocks) {
        daemon.mine(blocks);
        mined.addAndGet(blocks);
    }

    private void give(String address, long amount) {
        daemon.devnet().faucet(Address.parse(address), Amount.of(amount));
    }

    /** Worker that repeats each call with its token until it is answered. */
    private void pay(int number, String payer, String shop) {
        for (int i = 0; i < PAYMENTS; i++) {
            long amount = FIRST_AMOUNT + number * PAYMENTS + i;
            Map<String, Object> payment = payment(payer, shop, amount, "client_token", "payment-" + amount);
            untilAnswered("transfer", payment);
        }
    }

    /** Creates addresses that are paid in the next block, even while no daemon is following. */
    private void mint() {
        for (int i = 0; i < MINTS; i++) {
            String address = daemon.newAddress();
            long amount = FUNDING + i;
            deposits.put(address, amount);
            give(address, amount);
            anotherBlock();
        }
    }

    private void anotherBlock() {
        long before = mined.get();
        Await.until("another block", () -> mined.get() > before);
    }

    /** Repeats a call that is refused because coins are unconfirmed or something is stopped. */
    private JsonNode untilAnswered(String method, Map<String, ?> params) {
        while (true) {
            try {
                return daemon.call(method, params);
            } catch (WalletdException.RpcError refused) {
                assertThat(refused.code()).as(refused.getMessage()).isIn(-32020, -32031, -32039, -32042);
                anotherBlock();
            }
        }
    }

    private List<Long> coins(String address) {
        return List.copyOf(Coins.of(daemon.devnet(), Address.parse(address)).values());
    }

    /** Folds the feed into amounts by outpoint. */
    private Map<String, Long> credits(Optional<String> address) {
        Map<String, Long> credits = new HashMap<>();
        Map<String, Object> params = new HashMap<>(Map.of("min_confirmations", 1, "limit", 50));
        address.ifPresent(one -> params.put("address", one));
        JsonNode page;
        do {
            page = daemon.call("list_credits", params);
            for (JsonNode credit : page.path("credits")) {
                String outpoint = credit.path("tx_id").asText() + ":"
                        + credit.path("output_index").asLong();
                if (credit.path("event").asText().equals("confirmed")) {
                    assertThat(credits.put(outpoint, credit.path("amount").asLong()))
                            .as("told twice: %s", credit)
                            .isNull();
                } else {
                    assertThat(credits.remove(outpoint))
                            .as("never told: %s", credit)
                            .isNotNull();
                }
            }
            params.put("cursor", page.path("cursor").asText());
        } while (page.path("more").asBoolean() || !page.path("credits").isEmpty());
        return credits;
    }
}
