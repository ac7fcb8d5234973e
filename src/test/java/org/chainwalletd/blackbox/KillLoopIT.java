package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
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
 * The packaged daemon is killed with SIGKILL again and again while clients pay and mint: one token, one payment; an acknowledged key is never
 * lost. {@code -Dblackbox.kills=200} makes it long.
 */
@Tag("long")
class KillLoopIT {
    private static final int KILLS = Integer.getInteger("blackbox.kills", 2);
    private static final int PAYERS = 3;
    private static final long COIN = 100_000_000L;
    private static final int COINS = 40;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withPrompt(false));

    @TempDir
    Path folder;

    private final Random random = Seeded.random("KillLoopIT");
    private final AtomicReference<DaemonProcess> daemon = new AtomicReference<>();
    private final AtomicInteger life = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final Set<String> minted = ConcurrentHashMap.newKeySet();

    @Test
    void one_token_is_one_payment_and_an_acknowledged_key_is_kept_however_often_the_daemon_is_killed()
            throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        SeededKeyring.in(folder.resolve("datadir"));
        try {
            DaemonProcess first = start();
            Wallet wallet = new Wallet(first, chain.uri());
            String payer = wallet.derive();
            minted.add(payer);
            long[] coins = new long[COINS];
            Arrays.fill(coins, COIN);
            wallet.fund(payer, coins);
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
        DaemonProcess started = LauncherCall.daemon(folder.resolve("datadir"))
                .node(chain.uri())
                .and("--rebroadcast-interval-secs", "1")
                .start();
        daemon.set(started);
        life.incrementAndGet();
        return started;
    }

    private void killAndRestart(Withdrawals withdrawals) {
        HangWatch.alive();
        int goal = withdrawals.answered() + random.nextInt(12);
        Await.until("some more payments are made", () -> withdrawals.answered() >= goal);
        // Not a wait for something: the kill is to hit any moment of a payment, not always the one after an answer.
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

    /** One key for each life of the daemon: minting is dear. An unanswered mint is given up, its key may exist or not. */
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
                // The daemon died while it made the key.
            }
        }
        return null;
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
