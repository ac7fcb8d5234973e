package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.OwnFiles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The packaged daemon with its payments in PostgreSQL. */
@Tag("long")
@Tag("postgres")
class PostgresIT {
    private static final String PASSWORD = PostgresService.PASSWORD;
    private static final long COIN = 100_000_000L;
    private static final int BUSY = -32042;
    private static final int FAILED = 1;
    private static final long DRILL_SECONDS = 400;
    private static final String DRILL = "set -euo pipefail\n"
            + "trap 'kill $(jobs -p) 2>/dev/null || true; pg_ctl -D database -m immediate stop || true; wait || true' EXIT\n";

    @TempDir
    static Path data;

    private static PostgresService server;
    private static int databases;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withPrompt(true));

    @TempDir
    Path folder;

    private String database;

    @BeforeAll
    static void startServer() throws Exception {
        server = new PostgresService(data.resolve("server"));
    }

    @AfterAll
    static void stopServer() throws IOException {
        if (server != null && server.isRunning()) {
            server.stop();
        }
    }

    @BeforeEach
    void makeDatabase() throws Exception {
        if (!server.isRunning()) {
            server.start();
        }
        database = "payments_" + ++databases;
        server.run("CREATE DATABASE " + database + " OWNER walletd");
    }

    private LauncherCall daemon(Path datadir) {
        return LauncherCall.daemon(datadir)
                .node(chain.uri())
                .and("--store", server.url(database))
                .with("WALLETD_STORE_PASSWORD", PASSWORD);
    }

    static String funded(Wallet wallet, int coins) {
        String payer = wallet.mint();
        wallet.fundEach(payer, coins, COIN);
        return payer;
    }

    @Test
    void a_payment_is_reported_with_the_same_receipt_after_the_daemon_was_killed() throws Exception {
        Path datadir = folder.resolve("datadir");
        Path password = OwnFiles.secret(folder.resolve("password"), PASSWORD + "\n");
        LauncherCall start =
                daemon(datadir).without("WALLETD_STORE_PASSWORD").and("--store-password-file", password.toString());
        Output[] outputs = {new Output("33".repeat(32), 7_000)};
        String payer;
        JsonNode receipt;
        try (DaemonProcess daemon = start.start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = funded(wallet, 2);
            receipt = wallet.transfer(payer, "order-0001", outputs);
            daemon.kill();
        }
        assertThat(datadir.resolve("walletd.db")).doesNotExist();
        try (DaemonProcess daemon = start.start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            assertThat(wallet.transfer(payer, "order-0001", outputs)).isEqualTo(receipt);
            wallet.confirm();
            wallet.awaitNothingInFlight();
            assertThat(wallet.balance("33".repeat(32))).isEqualTo(7_000);
            assertThat(server.number(database, "SELECT count(*) FROM daemons WHERE NOT ended"))
                    .as("the lock of the datadir shows that the killed one is gone")
                    .isEqualTo(1);
            assertThat(daemon.stop()).isZero();
        }
        assertThat(server.number(database, "SELECT count(*) FROM daemons WHERE NOT ended"))
                .isZero();
    }

    @Test
    void while_the_server_is_stopped_nothing_is_accepted_and_afterwards_everything_continues() throws Exception {
        Path datadir = folder.resolve("datadir");
        try (DaemonProcess daemon = daemon(datadir).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            String payer = funded(wallet, 40);
            AtomicBoolean down = new AtomicBoolean();
            AtomicBoolean enough = new AtomicBoolean();
            List<String> acceptedWhileDown = new ArrayList<>();
            List<String> unknown = new ArrayList<>();
            List<String> paid = new ArrayList<>();
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
                for (int order = 0; !enough.get(); order++) {
                    boolean before = down.get();
                    try {
                        pay(wallet, payer, order);
                        paid.add(token(order));
                        if (before && down.get()) {
                            acceptedWhileDown.add(token(order));
                        }
                    } catch (WalletdException.RpcError refused) {
                        if (refused.code() != BUSY) {
                            unknown.add(refused.code() + " " + refused.getMessage());
                        }
                        order--;
                        Await.pause(50);
                    }
                }
            });
            Await.until("payments are made", () -> paid.size() >= 3);
            server.stop();
            down.set(true);
            Await.until(
                    "the daemon says that it is not ready",
                    () -> readiness(daemon).contains("has not answered"));
            everySpendingCallIsBusy(daemon, payer);
            assertThat(status(daemon, "/healthz")).isEqualTo(200);
            assertThat(wallet.balance(payer)).isPositive();
            wallet.mine(1);
            Await.pause(10_000);
            down.set(false);
            server.start();
            int before = paid.size();
            Await.until("payments are made again", () -> paid.size() >= before + 3);
            enough.set(true);
            Await.outcome(load);
            Await.until("the daemon is ready again", () -> status(daemon, "/readyz") == 200);

            assertThat(acceptedWhileDown).isEmpty();
            assertThat(unknown).hasSizeLessThanOrEqualTo(2);
            wallet.confirm();
            wallet.awaitNothingInFlight();
            for (int order = 0; order < paid.size(); order++) {
                assertThat(wallet.balance(shop(order))).as("order " + order).isEqualTo(1_000);
            }
            assertThat(daemon.stop()).isZero();
        }
    }

    private static void everySpendingCallIsBusy(DaemonProcess daemon, String payer) {
        Map<String, Object> payment = Wallet.payment(payer, "while-stopped", new Output(shop(1), 1_000));
        Map<String, Map<String, Object>> calls = Map.of(
                "transfer",
                payment,
                "payout_recall",
                Map.of("tx_id", "ab".repeat(32)),
                "payout_cancel",
                Map.of("payout_ids", List.of("payout-1")),
                "abandon_transfer",
                Map.of("outpoints", List.of(Map.of("tx_id", "ab".repeat(32), "output_index", 0))),
                "get_spend",
                Map.of("client_token", "while-stopped"),
                "sweep",
                Map.of("from", Map.of("addresses", List.of(payer)), "to", shop(2), "client_token", "sweep-0001"),
                "payout_submit",
                Map.of(
                        "payouts",
                        List.of(Map.of("payout_id", "payout-1", "to", shop(3), "amount", 1_000)),
                        "from",
                        Map.of("addresses", List.of(payer))),
                "htlc_lock",
                Map.of(
                        "from",
                        payer,
                        "receiver",
                        shop(4),
                        "hash_lock",
                        "ab".repeat(32),
                        "timeout",
                        5_000,
                        "amount",
                        1_000));
        List<String> others = new ArrayList<>();
        calls.forEach((method, params) -> {
            WalletdException.RpcError refused = daemon.refusal(method, params);
            if (refused.code() != BUSY || !refused.getMessage().contains("cannot be reached at this moment")) {
                others.add(method + ": " + refused.code() + " " + refused.getMessage());
            }
        });
        assertThat(others).isEmpty();
    }

    static void pay(Wallet wallet, String payer, int order) {
        wallet.transfer(payer, token(order), new Output(shop(order), 1_000));
    }

    static String token(int order) {
        return String.format("order-%06d", order);
    }

    static String shop(int order) {
        return String.format("%064x", 1_000_000 + order);
    }

    @Test
    void the_copy_of_a_datadir_is_refused_beside_its_daemon_and_a_paused_daemon_continues_when_it_wakes()
            throws Exception {
        try (Daemons daemons = new Daemons(List.of(folder.resolve("one"), folder.resolve("two")))) {
            DaemonProcess first = daemons.processes[0];
            DaemonProcess second = daemons.processes[1];
            Path copy = Folders.copy(folder.resolve("one"), folder.resolve("copy"));
            Commands.Ended refused = daemon(copy).run();
            assertThat(refused.code()).isEqualTo(FAILED);
            assertThat(String.join("\n", refused.errors())).contains("which has this datadir or a copy of it");

            Wallet one = new Wallet(first, chain.uri());
            Wallet two = new Wallet(second, chain.uri());
            String payer = funded(one, 3);
            awaitKnown(two, payer);
            first.signal("STOP");
            Await.until("the background work is taken over", () -> keeper() == 2);
            two.transfer(payer, "of the second", new Output(shop(1), 1_000));
            first.signal("CONT");
            one.transfer(payer, "of the first", new Output(shop(2), 1_000));
            one.confirm();
            one.awaitNothingInFlight();
            two.awaitNothingInFlight();
            assertThat(two.balance(shop(1))).isEqualTo(1_000);
            assertThat(two.balance(shop(2))).isEqualTo(1_000);
            assertThat(keeper()).isEqualTo(2);
            assertThat(first.stop()).isZero();
            assertThat(second.stop()).isZero();
        }
    }

    /** Returns the start that has the lease on background work. */
    private long keeper() {
        try {
            return server.number(database, "SELECT start FROM keeper");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Copies the tokens for callers of a daemon; the daemon itself does not need these files. */
    static void copyTokens(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String scope : List.of("read", "manage", "spend")) {
            Files.copy(from.resolve("token-" + scope), to.resolve("token-" + scope));
        }
    }

    static void awaitKnown(Wallet wallet, String address) {
        Await.until("the key is known", () -> wallet.addresses().contains(address));
    }

    @Test
    void tokens_that_are_paid_at_any_of_three_daemons_pay_once_while_each_of_them_is_killed_or_paused()
            throws Exception {
        int orders = 120;
        List<Path> datadirs = List.of(folder.resolve("one"), folder.resolve("two"), folder.resolve("three"));
        AtomicInteger paid = new AtomicInteger();
        try (Daemons daemons = new Daemons(datadirs)) {
            String payer = funded(daemons.wallet(0), orders);
            for (int number = 0; number < datadirs.size(); number++) {
                awaitKnown(daemons.wallet(number), payer);
            }
            List<CompletableFuture<Void>> load = new ArrayList<>();
            for (int client = 0; client < datadirs.size(); client++) {
                int at = client;
                load.add(CompletableFuture.runAsync(() -> {
                    for (int order = at; order < orders; order += datadirs.size()) {
                        daemons.payAnywhere(payer, order, at);
                        paid.incrementAndGet();
                    }
                }));
            }
            Await.until("payments are made", () -> paid.get() >= 15);
            daemons.kill(0);
            Await.until("the background work is taken over", () -> keeper() != 1);
            daemons.start(0);
            Await.until("more payments are made", () -> paid.get() >= 45);
            int keeping = (int) keeper() - 1;
            daemons.signal(keeping, "STOP");
            Await.until("the background work is taken over again", () -> keeper() != keeping + 1);
            Await.until("more payments are made meanwhile", () -> paid.get() >= 75);
            daemons.signal(keeping, "CONT");
            for (CompletableFuture<Void> client : load) {
                Await.outcome(client);
            }
            for (int order = 0; order < orders; order++) {
                daemons.payAnywhere(payer, order, order + 1);
            }
            daemons.wallet(1).confirm();
            for (int number = 0; number < datadirs.size(); number++) {
                daemons.wallet(number).awaitNothingInFlight();
            }
            for (int order = 0; order < orders; order++) {
                assertThat(daemons.wallet(2).balance(shop(order)))
                        .as("order " + order)
                        .isEqualTo(1_000);
            }
            assertThat(cluster("status").run().output()).anyMatch(line -> line.startsWith("keeper    start "));
            daemons.stop();
        }
        assertThat(server.number(database, "SELECT count(*) FROM daemons WHERE NOT ended"))
                .isZero();
    }

    /** Several daemons on one database, some of which may be dead. */
    private final class Daemons implements AutoCloseable {
        private final List<Path> datadirs;
        private final DaemonProcess[] processes;
        private final AtomicReferenceArray<Wallet> wallets;

        Daemons(List<Path> datadirs) throws Exception {
            this.datadirs = datadirs;
            this.processes = new DaemonProcess[datadirs.size()];
            this.wallets = new AtomicReferenceArray<>(datadirs.size());
            for (int number = 0; number < datadirs.size(); number++) {
                start(number);
                if (number + 1 < datadirs.size()) {
                    copyTokens(datadirs.get(0), datadirs.get(number + 1));
                }
            }
        }

        void start(int number) throws Exception {
            processes[number] = daemon(datadirs.get(number)).start();
            wallets.set(number, new Wallet(processes[number], chain.uri()));
        }

        void kill(int number) {
            processes[number].kill();
        }

        void signal(int number, String name) throws Exception {
            processes[number].signal(name);
        }

        Wallet wallet(int number) {
            return wallets.get(number);
        }

        /** Pays at one daemon after the other until one has answered with a receipt. */
        void payAnywhere(String payer, int order, int first) {
            for (int times = 0; times < 1_000; times++) {
                try {
                    pay(wallet((first + times) % datadirs.size()), payer, order);
                    return;
                } catch (WalletdException e) {
                    Await.pause(20);
                }
            }
            throw new AssertionError("order " + order + " was not paid");
        }

        void stop() throws Exception {
            for (DaemonProcess process : processes) {
                assertThat(process.stop()).isZero();
            }
        }

        @Override
        public void close() {
            for (DaemonProcess process : processes) {
                if (process != null) {
                    process.close();
                }
            }
        }
    }

    @Test
    void a_key_of_one_daemon_is_credited_and_told_at_all_when_the_keeper_dies_meanwhile() throws Exception {
        try (Daemons daemons = new Daemons(List.of(folder.resolve("one"), folder.resolve("two")))) {
            String before = credits(daemons.processes[1], null, 1).get("cursor").asText();
            String minted = daemons.wallet(1).mint();
            daemons.kill(0);
            daemons.wallet(1).fund(minted, 5 * COIN, 7 * COIN);
            Await.until(
                    "the credits are told",
                    () -> amounts(credits(daemons.processes[1], before, 1)).size() >= 2);
            daemons.start(0);
            for (DaemonProcess each : daemons.processes) {
                assertThat(amounts(credits(each, before, 1))).containsExactlyInAnyOrder(5 * COIN, 7 * COIN);
            }
            daemons.stop();
        }
    }

    /** Runs every command of the drill in the manual as printed; only ports are replaced by free ones, and blocks are mined every second. */
    @Test
    @Timeout(DRILL_SECONDS + 30)
    void the_drill_of_the_manual_runs() throws Exception {
        Path home = Files.createDirectories(folder.toRealPath().resolve("drill"));
        Path bin = Files.createDirectories(home.resolve("bin"));
        Files.createSymbolicLink(
                bin.resolve("chain-walletd"),
                LauncherCall.packageFolder().resolve("bin/chain-walletd").toAbsolutePath());
        for (String program : List.of("initdb", "pg_ctl")) {
            Path script = bin.resolve(program);
            // PostgreSQL refuses to run as root; a user namespace maps it to another user.
            String unshare = System.getProperty("user.name").equals("root") ? "unshare -U " : "";
            Launchers.script(
                    script,
                    "#!/bin/bash\nexec " + unshare + "'" + server.programs().resolve(program) + "' \"$@\"\n");
        }
        String commands = Pattern.compile("^```bash\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of("src/site/markdown/failover.md")))
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining("\n"));
        String node = String.valueOf(FreePort.any());
        commands = commands.replace("9334", node);
        for (String port : List.of("7441", "7442", "7443", "5433")) {
            commands = commands.replace(port, String.valueOf(FreePort.any()));
        }
        Launchers.runCommands(home, DRILL + commands, DRILL_SECONDS, node, Map.of());
    }

    @Test
    void a_daemon_that_is_forgotten_while_it_is_paused_sends_nothing_when_it_wakes() throws Exception {
        try (DaemonProcess daemon = daemon(folder.resolve("datadir")).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            String payer = funded(wallet, 2);
            wallet.transfer(payer, "before it", new Output(shop(1), 1_000));
            daemon.signal("STOP");
            refused(cluster("forget", "1"), "has heard of start 1");
            refused(cluster("forget", "2"), "knows no start 2");
            server.runIn(database, "UPDATE daemons SET beaten = beaten - 60000");
            assertThat(cluster("forget", "1").run().output()).anyMatch(line -> line.contains("counts as ended"));
            assertThat(cluster("status").run().output()).anyMatch(line -> line.matches("1 +ended .*"));
            daemon.signal("CONT");
            Await.until("it has noticed", () -> readiness(daemon).contains("declared off while it was paused"));
            assertThat(daemon.refusal("transfer", Wallet.payment(payer, "afterwards", new Output(shop(2), 1_000)))
                            .getMessage())
                    .contains("broadcast nothing", "writes and sends nothing any more");
        }
    }

    /** The daemon on SQLite has a key, a confirmed payment and one in flight. */
    @Test
    void payments_are_moved_from_sqlite_by_a_command_that_may_be_killed_and_continue_in_the_database()
            throws Exception {
        Path datadir = folder.resolve("datadir");
        LauncherCall onSqlite = LauncherCall.daemon(datadir).node(chain.uri());
        String payer;
        JsonNode receipt;
        JsonNode inFlight;
        try (DaemonProcess daemon = onSqlite.start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = funded(wallet, 3);
            receipt = wallet.transfer(payer, "order-0001", new Output(shop(1), 1_000));
            wallet.confirm();
            wallet.awaitNothingInFlight();
            inFlight = wallet.transfer(payer, "order-0002", new Output(shop(2), 1_000));
            assertThat(move(datadir).run().errors().toString()).contains("another process is using the datadir");
            daemon.kill();
        }
        for (String place : List.of("MOVE_COPIED", "MOVE_MARKED", "MOVE_LOGGED")) {
            assertThat(move(datadir).crashAt(place).run().code()).isEqualTo(137);
            refused(daemon(datadir), place.equals("MOVE_LOGGED") ? "store move" : "with the command store move");
            if (!place.equals("MOVE_COPIED")) {
                refused(onSqlite, "--store");
            }
        }
        Commands.Ended moved = move(datadir).run();
        assertThat(moved.code()).as(moved.errors().toString()).isZero();
        assertThat(String.join(" ", moved.output())).contains("start with --store postgresql://", "marked as moved");
        assertThat(String.join(" ", move(datadir).run().output())).contains("nothing was done");
        refused(onSqlite, "; they were moved to postgresql://");

        try (DaemonProcess daemon = daemon(datadir).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            assertThat(wallet.transfer(payer, "order-0001", new Output(shop(1), 1_000)))
                    .isEqualTo(receipt);
            assertThat(wallet.transfer(payer, "order-0002", new Output(shop(2), 1_000)))
                    .isEqualTo(inFlight);
            pay(wallet, payer, 3);
            wallet.confirm();
            wallet.awaitNothingInFlight();
            for (int order = 1; order <= 3; order++) {
                assertThat(wallet.balance(shop(order))).as("order " + order).isEqualTo(1_000);
            }
            assertThat(daemon.stop()).isZero();
        }
        refused(onSqlite, "; they were moved to postgresql://");
        try (DaemonProcess daemon = daemon(datadir).start()) {
            assertThat(new Wallet(daemon, chain.uri()).balance(payer)).isPositive();
            assertThat(daemon.stop()).isZero();
        }
    }

    private LauncherCall move(Path datadir) {
        return LauncherCall.words("--datadir", datadir.toString(), "--store", server.url(database), "store", "move")
                .with("WALLETD_STORE_PASSWORD", PASSWORD);
    }

    private LauncherCall cluster(String... words) {
        List<String> all = new ArrayList<>(List.of("cluster"));
        all.addAll(List.of(words));
        all.addAll(List.of("--store", server.url(database)));
        return LauncherCall.words(all.toArray(String[]::new)).with("WALLETD_STORE_PASSWORD", PASSWORD);
    }

    /** Reads all credits after a cursor. */
    private static JsonNode credits(DaemonProcess daemon, String cursor, int confirmations) {
        Map<String, Object> params = new LinkedHashMap<>(Map.of("min_confirmations", confirmations));
        if (cursor != null) {
            params.put("cursor", cursor);
        }
        return daemon.call("list_credits", params);
    }

    /** Returns the amounts of the credits that are reported as confirmed. */
    private static List<Long> amounts(JsonNode page) {
        List<Long> amounts = new ArrayList<>();
        for (JsonNode credit : page.path("credits")) {
            if (credit.path("event").asText().equals("confirmed")) {
                amounts.add(credit.path("amount").longValue());
            }
        }
        return amounts;
    }

    @Test
    void the_file_of_books_becomes_rows_and_cursors_of_before_miss_and_repeat_nothing() throws Exception {
        Path before = folder.resolve("before");
        Path datadir = folder.resolve("datadir");
        String payer;
        List<String> cursors = new ArrayList<>();
        try (DaemonProcess daemon =
                LauncherCall.daemon(before).node(chain.uri()).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = funded(wallet, 2);
            Await.until("all is told", () -> amounts(credits(daemon, null, 0)).size() == 2);
            for (int confirmations = 0; confirmations < 3; confirmations++) {
                cursors.add(credits(daemon, null, confirmations).path("cursor").asText());
            }
            wallet.fund(payer, COIN + 1);
            assertThat(daemon.stop()).isZero();
        }
        // A datadir that was used with a file of books and a database, as earlier releases left it.
        Folders.copy(before.resolve("wallets"), datadir.resolve("wallets"));
        Path file = Files.copy(before.resolve("books.db"), datadir.resolve("books.db"));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement one = connection.createStatement()) {
            one.execute("DELETE FROM store_seen");
        }

        for (int start = 0; start < 2; start++) {
            try (DaemonProcess daemon = daemon(datadir).start()) {
                assertThat(file).doesNotExist();
                Wallet wallet = new Wallet(daemon, chain.uri());
                assertThat(wallet.balance(payer)).isPositive();
                wallet.fund(payer, COIN + 2 + start);
                wallet.mine(2);
                for (int confirmations = 0; confirmations < 3; confirmations++) {
                    JsonNode told = credits(daemon, cursors.get(confirmations), confirmations);
                    cursors.set(confirmations, told.path("cursor").asText());
                    List<Long> expected = start > 0
                            ? List.of(COIN + 3)
                            : confirmations < 2 ? List.of(COIN + 1, COIN + 2) : List.of(COIN, COIN, COIN + 1, COIN + 2);
                    assertThat(amounts(told)).as("at depth " + confirmations).containsExactlyElementsOf(expected);
                }
                assertThat(daemon.stop()).isZero();
            }
        }
    }

    @Test
    void a_database_that_went_back_stops_the_books_and_after_its_restore_old_cursors_miss_nothing() throws Exception {
        Path datadir = folder.resolve("datadir");
        String payer;
        List<String> cursors = new ArrayList<>();
        try (DaemonProcess daemon = daemon(datadir).start()) {
            payer = funded(new Wallet(daemon, chain.uri()), 2);
            assertThat(daemon.stop()).isZero();
        }
        server.run("CREATE DATABASE " + database + "_backup OWNER walletd TEMPLATE " + database);
        try (DaemonProcess daemon = daemon(datadir).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            wallet.fund(payer, COIN + 1);
            wallet.transfer(payer, "order-0001", new Output(shop(1), 1_000));
            wallet.confirm();
            for (int depth = 0; depth < 3; depth++) {
                int confirmations = depth;
                Await.until(
                        "all is told",
                        () -> amounts(credits(daemon, null, confirmations)).contains(COIN + 1));
                cursors.add(credits(daemon, null, confirmations).path("cursor").asText());
            }
            assertThat(daemon.stop()).isZero();
        }
        server.run("DROP DATABASE " + database);
        server.run("CREATE DATABASE " + database + " OWNER walletd TEMPLATE " + database + "_backup");

        try (DaemonProcess daemon = daemon(datadir).start()) {
            assertThat(readiness(daemon)).contains("lacks commit");
            assertThat(amounts(credits(daemon, cursors.get(0), 0))).isEmpty();
            assertThat(amounts(credits(daemon, null, 0))).containsExactly(COIN, COIN);
            assertThat(server.number(database, "SELECT count(*) FROM credits WHERE amount = " + (COIN + 1)))
                    .as("no block is entered")
                    .isZero();
            assertThat(daemon.stop()).isZero();
        }
        Commands.Ended restored = LauncherCall.words(
                        "--datadir", datadir.toString(), "--store", server.url(database), "store", "restored")
                .with("WALLETD_STORE_PASSWORD", PASSWORD)
                .run();
        assertThat(restored.code()).as(restored.errors().toString()).isZero();

        try (DaemonProcess daemon = daemon(datadir).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            wallet.fund(payer, COIN + 2);
            wallet.mine(2);
            for (int depth = 0; depth < 3; depth++) {
                int confirmations = depth;
                String cursor = cursors.get(confirmations);
                Await.until(
                        "all is told",
                        () -> amounts(credits(daemon, cursor, confirmations)).contains(COIN + 2));
                List<Long> told = amounts(credits(daemon, cursor, confirmations));
                assertThat(told)
                        .as("repeats only what was told after the backup")
                        .doesNotContain(COIN);
            }
            Await.until("the daemon is ready", () -> status(daemon, "/readyz") == 200);
            assertThat(daemon.stop()).isZero();
        }
    }

    @Test
    void each_start_that_cannot_work_is_refused_in_one_sentence() throws Exception {
        Path datadir = folder.resolve("datadir");
        refused(
                LauncherCall.daemon(datadir)
                        .node(chain.uri())
                        .and("--store", server.url(database))
                        .with("WALLETD_STORE_PASSWORD", "wrong"),
                "does not let the user walletd in");
        refused(
                LauncherCall.daemon(datadir).node(chain.uri()).and("--store", server.url(database)),
                "does not let the user walletd in");
        Path open = OwnFiles.secret(folder.resolve("open"), PASSWORD);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        refused(
                LauncherCall.daemon(datadir)
                        .node(chain.uri())
                        .and("--store", server.url(database), "--store-password-file", open.toString()),
                "is open to other users");
        refused(datadir, server.url("missing"), "does not exist on the server: make it with createdb");
        refused(datadir, "postgresql://walletd@127.0.0.1:" + FreePort.any() + "/d", "does not answer");
        refused(
                datadir,
                "postgresql://walletd@nowhere.invalid/d?sslmode=verify-full",
                "has a host that cannot be found");
        refused(
                datadir,
                "postgresql://walletd@localhost:" + server.port() + "/" + database + "?sslmode=verify-full",
                "TLS is not trusted");
        server.run("ALTER DATABASE " + database + " SET default_transaction_read_only = on");
        refused(datadir, server.url(database), "has no primary server that can be written");
        server.run("ALTER DATABASE " + database + " RESET default_transaction_read_only");
        server.run("ALTER DATABASE " + database + " SET synchronous_commit = off");
        refused(datadir, server.url(database), "is on a server that loses commits");
        server.run("ALTER DATABASE " + database + " RESET synchronous_commit");
        server.run("ALTER DATABASE " + database + " OWNER TO postgres");
        refused(datadir, server.url(database), "cannot have its tables made");
        server.run("ALTER DATABASE " + database + " OWNER TO walletd");
        try (DaemonProcess daemon = daemon(datadir).start()) {
            assertThat(daemon.stop()).isZero();
        }
        refused(daemon(datadir).and("--brand", "other"), "has the brand chain, and this daemon other");
        refused(
                LauncherCall.daemon(datadir).node(chain.uri()),
                "keeps its payments in a database, as its file database-id shows");
        server.runIn(database, "UPDATE store SET version = 999");
        refused(daemon(datadir), "has version 999, written by a newer release");
        Path used = folder.resolve("used");
        try (DaemonProcess daemon = LauncherCall.daemon(used).node(chain.uri()).start()) {
            assertThat(daemon.stop()).isZero();
        }
        refused(daemon(used), "keeps its payments in walletd.db, which the database does not know");
    }

    @Test
    void a_daemon_on_sqlite_loads_no_class_for_postgresql() throws Exception {
        Path classes = folder.resolve("classes.log");
        LauncherCall call = LauncherCall.daemon(folder.resolve("datadir"))
                .node(chain.uri())
                .with(
                        "WALLETD_JAVA_OPTS",
                        LauncherCall.SHORT_LIVED + " -Xlog:class+load:file=" + classes + ":none:filecount=0");
        try (DaemonProcess daemon = call.start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            wallet.transfer(funded(wallet, 1), "order-0001", new Output(shop(1), 1_000));
            assertThat(daemon.stop()).isZero();
        }
        try (Stream<String> loaded = Files.lines(classes)) {
            assertThat(loaded)
                    .anyMatch(line -> line.contains("org.chainwalletd.store.sql.SqliteStore "))
                    .noneMatch(line -> line.startsWith("org.postgresql.")
                            || line.startsWith("org.chainwalletd.store.postgres.Postgres")
                            || line.startsWith("org.chainwalletd.boot.Database")
                            || line.startsWith("org.chainwalletd.cluster.")
                            || line.startsWith("org.apache.pekko.cluster.")
                            || line.startsWith("org.apache.pekko.remote.")
                            || line.startsWith("org.apache.pekko.serialization.jackson."));
        }
    }

    @Test
    void a_lock_that_is_held_for_long_is_named_and_no_reason_to_end() throws Exception {
        try (DaemonProcess daemon = daemon(folder.resolve("datadir")).start()) {
            try (Connection holder = server.connection(database);
                    Statement statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                statement.execute("SELECT 1 FROM store FOR UPDATE");
                Await.until("the held lock is told", () -> readiness(daemon).contains("the lock of the store"));
                assertThat(status(daemon, "/healthz")).isEqualTo(200);
                holder.rollback();
            }
            Await.until("it is ready again", () -> status(daemon, "/readyz") == 200);
            assertThat(daemon.stop()).isZero();
        }
    }

    @Test
    void doctor_looks_at_the_database_and_makes_nothing() throws Exception {
        Path datadir = folder.resolve("datadir");
        Commands.Ended empty = doctor(datadir, PASSWORD);
        assertThat(empty.output()).anyMatch(line -> line.contains("answers, and a start would use it"));
        assertThat(server.number(database, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
                .isZero();
        assertThat(doctor(datadir, "wrong").output()).anyMatch(line -> line.contains("does not let the user"));
        try (DaemonProcess daemon = daemon(datadir).start()) {
            assertThat(doctor(datadir, PASSWORD).output())
                    .anyMatch(line -> line.contains("answers, and a start would use it"));
            assertThat(daemon.stop()).isZero();
        }
        assertThat(doctor(folder.resolve("other"), PASSWORD).output())
                .anyMatch(line -> line.contains("answers, and a start would use it"));
    }

    private Commands.Ended doctor(Path datadir, String password) {
        return LauncherCall.words(
                        "doctor",
                        "--datadir",
                        datadir.toString(),
                        "--node-rpc",
                        chain.uri().toString(),
                        "--network",
                        "devnet",
                        "--store",
                        server.url(database))
                .with("WALLETD_STORE_PASSWORD", password)
                .run();
    }

    private void refused(Path datadir, String url, String hint) {
        refused(
                LauncherCall.daemon(datadir)
                        .node(chain.uri())
                        .and("--store", url)
                        .with("WALLETD_STORE_PASSWORD", PASSWORD),
                hint);
    }

    private static void refused(LauncherCall call, String hint) {
        Commands.Ended ended = Launchers.refused(call.run(), FAILED, hint);
        assertThat(ended.errors().get(0)).doesNotContain(PASSWORD);
    }

    static String readiness(DaemonProcess daemon) {
        return answer(daemon, "/readyz").body();
    }

    static int status(DaemonProcess daemon, String path) {
        return answer(daemon, path).statusCode();
    }

    private static HttpResponse<String> answer(DaemonProcess daemon, String path) {
        URI uri = daemon.awaitReady().resolve(path);
        return Dial.answer(Dial.request(uri).build());
    }
}
