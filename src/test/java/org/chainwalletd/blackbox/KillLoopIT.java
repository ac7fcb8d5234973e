package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The packaged daemon is killed repeatedly with SIGKILL while clients pay, mint and sweep: each token makes one payment or one sweep, and an
 * acknowledged key is never lost. {@code -Dblackbox.kills=200} makes the test long.
 */
@Tag("long")
class KillLoopIT extends SeededDaemon {
    private static final int KILLS = Integer.getInteger("blackbox.kills", 2);
    private static final int PAYERS = 3;
    private static final long COIN = 100_000_000L;
    private static final int COINS = 40;
    private static final int SWEPT_COINS = 400;
    private static final long SWEPT_COIN = 10_000L;

    private final Random random = Seeded.random("KillLoopIT");
    private final AtomicReference<DaemonProcess> daemon = new AtomicReference<>();
    private final AtomicInteger life = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final Set<String> minted = ConcurrentHashMap.newKeySet();

    @Test
    void one_token_is_one_payment_or_one_sweep_and_an_acknowledged_key_is_kept_however_often_the_daemon_is_killed()
            throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        try {
            DaemonProcess first = start();
            Wallet wallet = new Wallet(first, chain.uri());
            String payer = wallet.payer(COINS, COIN);
            minted.add(payer);
            long funded = wallet.mine(1).path("height").longValue();

            Withdrawals withdrawals = new Withdrawals(payer);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < PAYERS; i++) {
                int worker = i;
                running.add(clients.submit(() -> pay(withdrawals, worker)));
            }
            running.add(clients.submit(this::mint));
            for (int kill = 0; kill < KILLS; kill++) {
                killAndRestart(withdrawals);
            }
            enough.set(true);
            for (Future<?> client : running) {
                Await.outcome(client);
            }

            wallet = new Wallet(daemon.get(), chain.uri());
            withdrawals.settle(daemon.get(), wallet);
            withdrawals.audit(daemon.get(), wallet, funded);
            everyMintedKeyIsThereAndOneMadeBetweenKillsCanPay(wallet, payer);
            aSweepGoesOnAfterAKill(wallet.derive(), wallet.derive(), clients);
            assertThat(daemon.get().stop()).isZero();
            System.out.println("KillLoopIT: " + KILLS + " kills, " + withdrawals.answered() + " payments, "
                    + minted.size() + " keys");
        } finally {
            enough.set(true);
            clients.shutdownNow();
            if (daemon.get() != null) {
                daemon.get().close();
            }
        }
    }

    private DaemonProcess start() {
        DaemonProcess started = daemon().start();
        daemon.set(started);
        life.incrementAndGet();
        return started;
    }

    private void killAndRestart(Withdrawals withdrawals) {
        HangWatch.alive();
        int goal = withdrawals.answered() + random.nextInt(12);
        Await.until("some more payments are made", () -> withdrawals.answered() >= goal);
        // Not a wait for a condition: the kill must come at any moment of a payment, not always just after an answer.
        Await.pause(random.nextInt(60));
        daemon.get().kill();
        DaemonProcess next = start();
        Wallet wallet = new Wallet(next, chain.uri());
        assertThat(wallet.addresses()).as("keys after a kill").containsAll(Set.copyOf(minted));
        wallet.mine(1);
    }

    private Void pay(Withdrawals withdrawals, int worker) {
        for (int order = 0; !enough.get(); order++) {
            String token = "worker-" + worker + "-order-" + order;
            boolean answered = false;
            while (!answered) {
                DaemonProcess current = daemon.get();
                answered = withdrawals.attempt(current, token);
                if (!answered) {
                    Await.pause(5);
                }
            }
        }
        return null;
    }

    /**
     * Mints one key for each process of the daemon, because minting is expensive. An unanswered mint is not repeated; its key may or may not exist.
     */
    private Void mint() {
        int last = 0;
        while (!enough.get()) {
            int now = life.get();
            if (now == last) {
                Await.pause(5);
                continue;
            }
            last = now;
            try {
                minted.add(daemon.get()
                        .call("generate_standard_address", Map.of())
                        .path("address")
                        .asText());
            } catch (WalletdException.Transport killed) {
                // The daemon was killed while it made the key.
            }
        }
        return null;
    }

    private void aSweepGoesOnAfterAKill(String one, String two, ExecutorService clients) {
        String to = "66".repeat(32);
        for (int i = 0; i < SWEPT_COINS; i++) {
            chain.node().faucet(Address.parse(i % 2 == 0 ? one : two), Amount.of(SWEPT_COIN));
        }
        chain.mine(1);
        Wallet wallet = new Wallet(daemon.get(), chain.uri());
        Await.until(
                "the coins have arrived", () -> wallet.balance(one) + wallet.balance(two) == SWEPT_COINS * SWEPT_COIN);
        // Small transactions, so that there are many between which a kill can come.
        Map<String, Object> sweep = Map.of(
                "from",
                Map.of("addresses", List.of(one, two)),
                "to",
                to,
                "client_token",
                "sweep-in-kill-loop",
                "max_fee",
                2_000);
        DaemonProcess doomed = daemon.get();
        Future<?> killed = clients.submit(() -> {
            sweepUntilAnswered(doomed, sweep);
            return null;
        });
        Await.until("some of it is sent", () -> sent(doomed).size() > random.nextInt(6));
        doomed.kill();
        Await.outcome(killed);

        start();
        sweepUntilAnswered(daemon.get(), sweep);
        Await.until("all of it is sent", () -> {
            JsonNode parts = parts(daemon.get());
            return !parts.isEmpty() && sent(daemon.get()).size() == parts.size();
        });
        Await.until("all of it is in blocks", () -> {
            chain.mine(1);
            return "confirmed".equals(statesOf(parts(daemon.get())));
        });
        long moved = 0;
        long coins = 0;
        for (JsonNode part : parts(daemon.get())) {
            moved += part.path("amount").longValue() + part.path("fee").longValue();
            coins += part.path("coins").longValue();
        }
        assertThat(coins).isEqualTo(SWEPT_COINS);
        assertThat(moved).isEqualTo(SWEPT_COINS * SWEPT_COIN);
        Wallet after = new Wallet(daemon.get(), chain.uri());
        assertThat(after.balance(one) + after.balance(two)).isZero();
        long fees = 0;
        for (JsonNode part : parts(daemon.get())) {
            fees += part.path("fee").longValue();
        }
        assertThat(after.balance(to)).isEqualTo(SWEPT_COINS * SWEPT_COIN - fees);
    }

    /** Repeats the call while the books have not read the addresses yet; a killed daemon does not answer. */
    private static void sweepUntilAnswered(DaemonProcess process, Map<String, Object> sweep) {
        boolean over = false;
        while (!over) {
            try {
                process.call("sweep", sweep);
                over = true;
            } catch (WalletdException.RpcError busy) {
                assertThat(busy.code()).isEqualTo(-32042);
                Await.pause(20);
            } catch (WalletdException.Transport killed) {
                over = true;
            }
        }
    }

    private static JsonNode parts(DaemonProcess process) {
        return process.call("get_sweep", Map.of("client_token", "sweep-in-kill-loop"))
                .path("sweep")
                .path("spends");
    }

    private static List<String> sent(DaemonProcess process) {
        List<String> sent = new ArrayList<>();
        parts(process).forEach(part -> {
            if (part.has("tx_id")) {
                sent.add(part.get("tx_id").asText());
            }
        });
        return sent;
    }

    /** Returns the common state of all parts, or several separated by commas if they differ. */
    private static String statesOf(JsonNode parts) {
        Set<String> states = new TreeSet<>();
        parts.forEach(part -> states.add(part.path("state").asText()));
        return String.join(",", states);
    }

    private void everyMintedKeyIsThereAndOneMadeBetweenKillsCanPay(Wallet wallet, String payer) {
        assertThat(wallet.addresses()).containsAll(minted);
        List<String> others = minted.stream()
                .filter(address -> !address.equals(payer))
                .limit(2)
                .toList();
        for (String address : others) {
            wallet.fund(address, COIN);
            wallet.transfer(address, "from-" + address, new Output("55".repeat(32), 500));
        }
        wallet.confirm();
        assertThat(wallet.balance("55".repeat(32))).isEqualTo(500L * others.size());
    }
}
