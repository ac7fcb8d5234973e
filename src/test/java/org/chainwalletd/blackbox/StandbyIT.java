package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.blackbox.PostgresIT.awaitKnown;
import static org.chainwalletd.blackbox.PostgresIT.copyTokens;
import static org.chainwalletd.blackbox.PostgresIT.funded;
import static org.chainwalletd.blackbox.PostgresIT.pay;
import static org.chainwalletd.blackbox.PostgresIT.readiness;
import static org.chainwalletd.blackbox.PostgresIT.shop;
import static org.chainwalletd.blackbox.PostgresIT.status;
import static org.chainwalletd.blackbox.PostgresIT.token;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two packaged daemons on a primary server that fails, and the standby that is promoted in its place. */
@Tag("long")
@Tag("postgres")
@Timeout(300)
class StandbyIT {
    private static final String DATABASE = "payments";
    private static final int DAEMONS = 2;
    private static final int COINS = 60;

    @RegisterExtension
    private final DevnetExtension chain = new DevnetExtension(config -> config.withPrompt(true));

    @TempDir
    private Path folder;

    private PostgresService primary;
    private PostgresService standby;
    private final List<DaemonProcess> daemons = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        primary = new PostgresService(folder.resolve("primary"));
        primary.run("CREATE DATABASE " + DATABASE + " OWNER walletd");
        standby = primary.standby(folder.resolve("standby"));
    }

    @AfterEach
    void stop() throws Exception {
        daemons.forEach(DaemonProcess::close);
        for (PostgresService server : new PostgresService[] {primary, standby}) {
            if (server != null && server.isRunning()) {
                server.crash();
            }
        }
    }

    private Path datadir(int number) {
        return folder.resolve("daemon-" + number);
    }

    private String store() {
        return "postgresql://walletd@127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port() + "/" + DATABASE;
    }

    private void startDaemons() throws Exception {
        for (int number = 0; number < DAEMONS; number++) {
            if (number > 0) {
                copyTokens(datadir(0), datadir(number));
            }
            daemons.add(start(number));
        }
    }

    private DaemonProcess start(int number) throws Exception {
        return LauncherCall.daemon(datadir(number))
                .node(chain.uri())
                .and("--store", store())
                .with("WALLETD_STORE_PASSWORD", PostgresService.PASSWORD)
                .start();
    }

    private Wallet wallet(int number) {
        return new Wallet(daemons.get(number), chain.uri());
    }

    private String payer() {
        String payer = funded(wallet(0), COINS);
        awaitKnown(wallet(1), payer);
        return payer;
    }

    private JsonNode receipt(int number, String payer, int order) {
        return wallet(number).transfer(payer, token(order), new Output(shop(order), 1_000));
    }

    @Test
    void a_synchronous_standby_that_is_promoted_has_all_and_everything_continues_by_itself() throws Exception {
        primary.waitForStandby();
        startDaemons();
        String payer = payer();
        JsonNode first = receipt(0, payer, 0);
        AtomicInteger orders = new AtomicInteger(1);
        AtomicBoolean isDown = new AtomicBoolean();
        AtomicBoolean isEnough = new AtomicBoolean();
        Queue<Integer> paid = new ConcurrentLinkedQueue<>();
        Queue<Integer> paidWhileDown = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> load = new ArrayList<>();
        for (int number = 0; number < DAEMONS; number++) {
            Wallet wallet = wallet(number);
            load.add(CompletableFuture.runAsync(() -> {
                while (!isEnough.get()) {
                    int order = orders.getAndIncrement();
                    while (!isPaid(wallet, payer, order, isDown, paidWhileDown) && !isEnough.get()) {
                        Await.pause(50);
                    }
                    paid.add(order);
                    Await.pause(200);
                }
            }));
        }
        Await.until("payments are made", () -> paid.size() >= 6);
        primary.crash();
        isDown.set(true);
        for (DaemonProcess daemon : daemons) {
            Await.until("the daemon is not ready", () -> status(daemon, "/readyz") == 503);
            assertThat(status(daemon, "/healthz")).isEqualTo(200);
        }
        isDown.set(false);
        standby.promote();
        int before = paid.size();
        Await.until("payments are made at the promoted server", () -> paid.size() >= before + 6);
        for (DaemonProcess daemon : daemons) {
            Await.until("the daemon is ready", () -> status(daemon, "/readyz") == 200);
        }
        isEnough.set(true);
        load.forEach(Await::outcome);

        assertThat(paidWhileDown).isEmpty();
        assertThat(receipt(1, payer, 0)).isEqualTo(first);
        eachIsPaidOnce(payer, orders.get());
    }

    private static boolean isPaid(
            Wallet wallet, String payer, int order, AtomicBoolean isDown, Queue<Integer> paidWhileDown) {
        boolean before = isDown.get();
        try {
            pay(wallet, payer, order);
            if (before && isDown.get()) {
                paidWhileDown.add(order);
            }
            return true;
        } catch (WalletdException e) {
            return false;
        }
    }

    private void eachIsPaidOnce(String payer, int orders) {
        for (int order = 0; order < orders; order++) {
            receipt(order % DAEMONS, payer, order);
        }
        wallet(0).confirm();
        for (int number = 0; number < DAEMONS; number++) {
            wallet(number).awaitNothingInFlight();
        }
        for (int order = 0; order < orders; order++) {
            assertThat(wallet(0).balance(shop(order))).as("order " + order).isEqualTo(1_000);
        }
    }

    private Commands.Ended restored(int number) {
        return LauncherCall.words("--datadir", datadir(number).toString(), "--store", store(), "store", "restored")
                .with("WALLETD_STORE_PASSWORD", PostgresService.PASSWORD)
                .run();
    }

    @Test
    void a_lagging_standby_that_is_promoted_stops_all_payments_until_the_logs_have_restored_it() throws Exception {
        startDaemons();
        String payer = payer();
        int had = 4;
        int all = 10;
        List<JsonNode> receipts = new ArrayList<>();
        for (int order = 0; order < had; order++) {
            receipts.add(receipt(order % DAEMONS, payer, order));
        }
        primary.awaitStandby();
        standby.stop();
        for (int order = had; order < all; order++) {
            receipts.add(receipt(order % DAEMONS, payer, order));
        }
        primary.crash();
        standby.start();
        standby.promote();
        assertThat(standby.number(DATABASE, "SELECT count(*) FROM spends"))
                .as("acknowledged payments are lost")
                .isEqualTo(had);

        for (int number = 0; number < DAEMONS; number++) {
            DaemonProcess daemon = daemons.get(number);
            Await.until(
                    "the daemon says what is missing", () -> readiness(daemon).contains("store restored"));
            Wallet wallet = wallet(number);
            assertThatThrownBy(() -> pay(wallet, payer, had)).isInstanceOf(WalletdException.class);
            assertThatThrownBy(() -> pay(wallet, payer, all)).isInstanceOf(WalletdException.class);
            assertThat(daemon.stop()).isZero();
        }
        daemons.clear();
        Commands.Ended early = restored(0);
        assertThat(early.code()).isEqualTo(1);
        assertThat(early.errors().toString()).contains(datadir(1).toString());
        for (int number = DAEMONS - 1; number >= 0; number--) {
            Commands.Ended restored = restored(number);
            assertThat(restored.code()).as(restored.errors().toString()).isZero();
        }
        for (int number = 0; number < DAEMONS; number++) {
            daemons.add(start(number));
        }
        for (int order = 0; order < all; order++) {
            assertThat(receipt((order + 1) % DAEMONS, payer, order).path("tx_id"))
                    .as("order " + order)
                    .isEqualTo(receipts.get(order).path("tx_id"));
        }
        eachIsPaidOnce(payer, all + 2);
    }
}
