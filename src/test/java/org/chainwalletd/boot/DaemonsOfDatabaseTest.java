package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.testkit.DaemonRig.payment;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.postgres.DatabaseDoor;
import org.chainwalletd.store.postgres.PostgresAgreed;
import org.chainwalletd.store.postgres.PostgresCluster;
import org.chainwalletd.store.postgres.PostgresDatabase;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tokens, certificate, caps and chain of daemons with separate datadirs that use one database in turn (scale-out.md, section 1). */
@Tag("long")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class DaemonsOfDatabaseTest {
    private static final List<String> CERTIFICATE = List.of("cert.pem", "cert.key", "cert.fingerprint");
    private static final String OTHER = "another-token-of-the-operator";

    @TempDir
    Path folder;

    private final Map<Caller, WalletdClient> clients = new HashMap<>();

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private Path first;
    private Path second;

    private record Caller(Daemon daemon, String token) {}

    @BeforeEach
    void name() {
        first = folder.resolve("first");
        second = folder.resolve("second");
    }

    private Settings settings(Path datadir, String... flags) {
        List<String> all = new ArrayList<>(List.of("--store", database.url()));
        all.addAll(List.of(flags));
        return DaemonRig.settings(datadir, ScriptedNode.refusing(), all.toArray(String[]::new));
    }

    private PostgresCluster cluster() {
        return new PostgresCluster(
                new PostgresDatabase(settings(second).database().orElseThrow()));
    }

    private Daemon start(Path datadir, String... flags) {
        return DaemonRig.start(settings(datadir, flags));
    }

    /** The database becomes unavailable when the daemon, which holds the lease, starts the background work. */
    @Test
    void a_daemon_that_cannot_begin_the_background_work_begins_it_when_the_database_is_back() throws IOException {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE));
                DatabaseDoor door = new DatabaseDoor(database, Map.of());
                DaemonRig rig = DaemonRig.over(chain, first, "--store", door.url())) {
            door.leaveAt("SELECT MAX(start) AS start FROM daemons");
            database.run("UPDATE keeper SET start = start - 1, epoch = epoch + 1");
            Await.until("the database is away", door::isAway);
            Await.pause(1_500);
            door.back();
            Await.until("its work has begun", () -> rig.daemon().keeper().isRunning());
            chain.mine(1);
            rig.awaitFollowed();
        }
    }

    @Test
    void a_daemon_whose_run_of_the_books_was_ended_by_one_without_the_lease_begins_another_and_follows_on()
            throws IOException {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE));
                DaemonRig rig = DaemonRig.over(chain, first, "--store", database.url())) {
            chain.mine(1);
            rig.awaitFollowed();
            // Like a daemon of an earlier release that is paused between taking the lease and starting its run.
            database.run("UPDATE books SET run = run + 1");
            chain.mine(1);
            rig.awaitFollowed();
            assertThat(database.number("SELECT epoch FROM keeper")).isEqualTo(2);
        }
    }

    @Test
    void a_daemon_that_gets_the_lease_while_the_books_alone_are_stopped_begins_the_work_when_a_start_frees_them()
            throws IOException {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE));
                DaemonRig rig = DaemonRig.over(chain, first, "--store", database.url())) {
            database.run("UPDATE books SET stopped = 'they lack a commit'");
            database.run("UPDATE keeper SET start = start - 1, epoch = epoch + 1");
            Await.until("it was tried twice", () -> database.number("SELECT epoch FROM keeper") > 3);
            assertThat(rig.daemon().keeper().isRunning()).isFalse();
            // Like a start.
            database.run("UPDATE books SET stopped = NULL");
            chain.mine(1);
            rig.awaitFollowed();
        }
    }

    private void refused(String why, Path datadir, String... flags) {
        assertThatThrownBy(() -> start(datadir, flags).close())
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(why);
    }

    private Commands.Ended run(Path datadir, String... words) {
        return Commands.onDatabase(datadir, database.url(), words);
    }

    /** Runs a command on the database; returns its output. */
    private String command(Path datadir, String... words) {
        return run(datadir, words).printed();
    }

    private AbstractStringAssert<?> complains(Path datadir, String... words) {
        return assertThat(run(datadir, words).errors().toString());
    }

    private static String token(Path datadir, String scope) throws IOException {
        return Files.readString(datadir.resolve("token-" + scope)).strip();
    }

    private boolean accepts(Daemon daemon, String token, Optional<String> fingerprint) {
        try {
            clients.computeIfAbsent(
                            new Caller(daemon, token),
                            each -> new WalletdClient(daemon.uri(), token, fingerprint, Duration.ofSeconds(30)))
                    .call("ping", Map.of());
            return true;
        } catch (WalletdException.RpcError e) {
            assertThat(e.code()).isEqualTo(-32001);
            return false;
        }
    }

    private boolean accepts(Daemon daemon, String token) {
        return accepts(daemon, token, Optional.empty());
    }

    @Test
    void an_empty_datadir_serves_with_the_tokens_and_the_certificate_of_the_daemon_before() throws Exception {
        String fingerprint;
        try (Daemon daemon = start(first, "--tls", "true")) {
            fingerprint = Files.readString(first.resolve("cert.fingerprint"));
            assertThat(accepts(daemon, token(first, "read"), Optional.of(fingerprint)))
                    .isTrue();
        }
        String named = command(first, "token", "create", "shop", "--scope", "spend");

        try (Daemon daemon = start(second, "--tls", "true")) {
            for (String scope : List.of("read", "manage", "spend")) {
                assertThat(second.resolve("token-" + scope)).doesNotExist();
                assertThat(accepts(daemon, token(first, scope), Optional.of(fingerprint)))
                        .isTrue();
            }
            assertThat(accepts(daemon, named, Optional.of(fingerprint))).isTrue();
            assertThat(accepts(daemon, "no-token-of-anybody", Optional.of(fingerprint)))
                    .isFalse();
            for (String file : CERTIFICATE) {
                assertThat(second.resolve(file)).hasSameBinaryContentAs(first.resolve(file));
            }
        }
    }

    @Test
    void a_running_daemon_takes_named_tokens_and_a_rotated_one_from_the_database() throws Exception {
        try (Daemon daemon = start(first)) {
            String before = token(first, "manage");
            String shop = command(second, "token", "create", "shop", "--scope", "read");
            Await.until("the new token is accepted", () -> accepts(daemon, shop));
            command(second, "token", "revoke", "shop");
            Await.until("the revoked token is refused", () -> !accepts(daemon, shop));
            assertThat(command(second, "token", "list")).contains("shop", "revoked");

            String after = command(second, "token", "rotate", "manage");
            Await.until("the rotated token is accepted", () -> accepts(daemon, after));
            assertThat(accepts(daemon, before)).isFalse();
            assertThat(token(second, "manage")).isEqualTo(after);
        }
        refused("delete that file, and theirs is accepted", first);
        Files.delete(first.resolve("token-manage"));
        try (Daemon daemon = start(first)) {
            assertThat(accepts(daemon, token(second, "manage"))).isTrue();
        }
    }

    @Test
    void a_token_of_an_option_that_differs_is_refused_until_it_is_set_for_all() throws Exception {
        start(first).close();
        refused("the configured spend token is another", second, "--auth-token-spend", OTHER);
        command(second, "cluster", "set", "spend-token", "--auth-token-spend", OTHER);
        try (Daemon daemon = start(second, "--auth-token-spend", OTHER)) {
            assertThat(accepts(daemon, OTHER)).isTrue();
            assertThat(accepts(daemon, token(first, "spend"))).isFalse();
        }
        refused("cluster set spend-token makes it the one of all", first);
    }

    @Test
    void a_token_file_that_a_start_which_died_has_made_is_the_token_of_the_next() throws Exception {
        Files.createDirectories(first);
        String made = Tokens.write(first, Scope.READ);
        start(first).close();
        try (Daemon daemon = start(second)) {
            assertThat(accepts(daemon, made)).isTrue();
        }
    }

    /** The first daemon enters its tokens after the second one has read them, and before that one gets the lock of the store. */
    @Test
    void of_two_daemons_that_start_at_once_on_a_database_without_tokens_one_makes_them() throws Exception {
        start(first).close();
        database.run("DELETE FROM agreed WHERE name LIKE '% token'");
        PostgresCluster cluster = cluster();
        Files.createDirectories(second);
        List<String> told = new ArrayList<>();
        DatabaseTokens.open(
                settings(second),
                cluster::agreed,
                change -> {
                    start(first).close();
                    cluster.agree(change);
                },
                told::add);
        assertThat(told).isEmpty();
        for (String scope : List.of("read", "manage", "spend")) {
            assertThat(second.resolve("token-" + scope)).doesNotExist();
            assertThat(second.resolve("token-" + scope + ".new")).doesNotExist();
        }
        try (Daemon daemon = start(second)) {
            assertThat(accepts(daemon, token(first, "read"))).isTrue();
        }
    }

    /** The process died before or after the commit of its tokens. */
    @Test
    void a_start_that_died_while_it_made_the_tokens_is_finished_by_the_next() throws Exception {
        Files.createDirectories(first);
        String lost = Tokens.propose(first, Scope.READ);
        start(first).close();
        assertThat(token(first, "read")).isEqualTo(lost);

        String made = token(first, "spend");
        Files.move(first.resolve("token-spend"), first.resolve("token-spend.new"));
        try (Daemon daemon = start(first)) {
            assertThat(token(first, "spend")).isEqualTo(made);
            assertThat(accepts(daemon, made)).isTrue();
        }
        assertThat(first.resolve("token-read.new")).doesNotExist();
        assertThat(first.resolve("token-spend.new")).doesNotExist();
    }

    /** The server was waiting for its standby, and shows the commit only when the lock is granted. */
    @Test
    void tokens_whose_commit_appears_late_are_those_of_the_start_that_proposed_them() throws Exception {
        start(first).close();
        String made = token(first, "spend");
        Files.move(first.resolve("token-spend"), first.resolve("token-spend.new"));
        PostgresCluster cluster = cluster();
        Map<String, String> before = new HashMap<>(cluster.agreed().values());
        before.remove("spend token");
        List<String> told = new ArrayList<>();
        DatabaseTokens.open(settings(first), () -> new PostgresAgreed(0, before), cluster::agree, told::add);
        assertThat(token(first, "spend")).isEqualTo(made);
        assertThat(told).as("tokens that were made").isEmpty();
    }

    /** The answer to the COMMIT is lost; the server may or may not have received it. */
    @Test
    void a_rotation_whose_commit_is_in_doubt_leaves_a_token_that_is_accepted() throws Exception {
        start(first).close();
        String before = token(first, "spend");
        for (boolean arrives : List.of(false, true)) {
            assertThatThrownBy(() -> DatabaseTokens.rotate(
                            settings(first),
                            change -> {
                                cluster().agree(values -> {
                                    Map<String, String> after = change.apply(new HashMap<>(values));
                                    return arrives ? after : values;
                                });
                                throw new IllegalStateException("no answer");
                            },
                            Scope.SPEND))
                    .hasMessage("no answer");
            assertThat(token(first, "spend")).isEqualTo(before);
            try (Daemon daemon = start(first)) {
                assertThat(accepts(daemon, token(first, "spend"))).isTrue();
                assertThat(accepts(daemon, before)).isEqualTo(!arrives);
            }
        }
    }

    @Test
    void named_tokens_of_a_datadir_from_before_the_database_are_taken_over_once() throws Exception {
        Files.createDirectories(first);
        String shop = Tokens.random();
        new TokenFile(first)
                .add(new NamedToken(
                        "shop",
                        Scope.READ,
                        NamedToken.Policy.NONE,
                        OptionalLong.empty(),
                        1,
                        OptionalLong.empty(),
                        List.of(new NamedToken.Value(
                                Hash256.sha256(shop.getBytes(StandardCharsets.US_ASCII)), OptionalLong.empty()))));
        start(first).close();
        assertThat(first.resolve(TokenFile.NAME)).doesNotExist();
        assertThat(first.resolve("tokens-moved.json")).exists();
        try (Daemon daemon = start(second)) {
            assertThat(accepts(daemon, shop)).isTrue();
            command(second, "token", "revoke", "shop");
        }
        Files.copy(first.resolve("tokens-moved.json"), first.resolve(TokenFile.NAME));
        try (Daemon daemon = start(first)) {
            assertThat(accepts(daemon, shop)).isFalse();
        }
    }

    @Test
    void another_certificate_is_refused_until_it_is_set_for_all() throws Exception {
        start(first, "--tls", "true").close();
        Files.createDirectories(second);
        TlsIdentity.open(second, "chain-walletd", List.of("localhost"), line -> {});
        refused("the daemons of the database serve with", second, "--tls", "true");
        command(second, "cluster", "set", "tls-certificate");
        refused("cluster set tls-certificate makes this one that of all", first, "--tls", "true");
        for (String file : CERTIFICATE) {
            Files.delete(first.resolve(file));
        }
        refused("which the database does not have yet", first, "--tls", "true");
        start(second, "--tls", "true").close();
        start(first, "--tls", "true").close();
        assertThat(first.resolve("cert.key")).hasSameBinaryContentAs(second.resolve("cert.key"));
    }

    /** The first daemon enters its certificate while the second one, which has found none, derives the key to seal its own. */
    @Test
    void of_two_daemons_that_start_at_once_on_a_database_without_certificate_both_serve_with_one() throws Exception {
        start(first).close();
        Files.createDirectories(second);
        PostgresCluster cluster = cluster();
        List<Path> faster = new ArrayList<>(List.of(first));
        TlsIdentity served = identity(second, cluster, () -> {
            while (!faster.isEmpty()) {
                identity(faster.remove(0), cluster, () -> {});
            }
        });
        assertThat(served.fingerprint()).isEqualTo(Files.readString(first.resolve("cert.fingerprint")));
        for (String file : CERTIFICATE) {
            assertThat(second.resolve(file)).hasSameBinaryContentAs(first.resolve(file));
        }
    }

    private TlsIdentity identity(Path datadir, PostgresCluster cluster, Runnable meanwhile) {
        try {
            return DatabaseIdentity.open(
                    settings(datadir),
                    cluster::agreed,
                    cluster::agree,
                    like -> {
                        meanwhile.run();
                        return CompletableFuture.completedFuture(TestSeals.of(like));
                    },
                    List.of("localhost"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void other_caps_are_refused_until_they_are_set_for_all() {
        start(first, "--spend-cap-per-tx", "1000").close();
        refused("has other caps", second, "--spend-cap-per-tx", "2000");
        command(second, "cluster", "set", "caps", "--spend-cap-per-tx", "2000");
        start(second, "--spend-cap-per-tx", "2000").close();
        refused("has other caps", first, "--spend-cap-per-tx", "1000");
    }

    @Test
    void an_empty_datadir_is_pinned_to_the_chain_that_the_database_knows() throws Exception {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(1));
                DaemonRig daemon = DaemonRig.over(chain, first, "--store", database.url())) {
            Await.until(
                    "the chain of " + daemon.uri() + " is pinned",
                    () -> new GenesisFile(first).read().isPresent());
        }
        start(second).close();
        assertThat(new GenesisFile(second).read()).isEqualTo(new GenesisFile(first).read());
        refused("has the genesis", folder.resolve("third"), "--expect-genesis", "ab".repeat(32));
    }

    @Test
    void a_datadir_that_was_refused_is_not_marked_as_one_of_the_database() throws Exception {
        start(first).close();
        database.run("UPDATE store SET version = 999");
        refused("written by a newer release", second);
        assertThat(second.resolve("database-id")).doesNotExist();
    }

    @Test
    void a_token_command_that_finds_no_database_does_not_claim_that_nothing_was_changed() throws Exception {
        start(first).close();
        database.leave();
        Commands.Ended ended = run(first, "token", "revoke", "shop");
        assertThat(ended.code()).isNotZero();
        assertThat(ended.errors())
                .singleElement()
                .asString()
                .contains("it is not certain that the tokens were changed");
    }

    @Test
    void a_daemon_that_differs_is_refused_beside_one_that_works() throws Exception {
        try (Daemon working = start(first, "--spend-cap-per-tx", "1000")) {
            assertThat(accepts(working, token(first, "read"))).isTrue();
            refused("has other caps", second);
            refused("read token is another", second, "--spend-cap-per-tx", "1000", "--auth-token-read", OTHER);
            refused("has the brand chain", second, "--spend-cap-per-tx", "1000", "--brand", "other");
        }
    }

    @Test
    void two_daemons_serve_and_background_work_is_done_by_one_of_them() throws Exception {
        Daemon keeper = start(first);
        try (Daemon other = start(second)) {
            assertThat(keeper.keeper().isRunning()).isTrue();
            assertThat(other.keeper().isRunning()).isFalse();
            assertThat(accepts(keeper, token(first, "read"))).isTrue();
            assertThat(accepts(other, token(first, "read"))).isTrue();
            assertThat(run(second, "cluster", "status").output())
                    .anyMatch(line -> line.startsWith("keeper    start 1"));
            String spend = token(first, "spend");
            Await.until(
                    "the keeper's address is told",
                    () -> refusedElsewhere(other, spend)
                            .orElse("")
                            .equals(keeper.uri().toString()));
            keeper.close();
            Await.until("the other one takes over", () -> other.keeper().isRunning());
            WalletdClient client = client(other);
            assertThat(DaemonProcess.refusal(client, "sweep_stop", Map.of("client_token", "nobody"))
                            .code())
                    .isNotEqualTo(-32044);
        } finally {
            keeper.close();
        }
    }

    /** Returns the keeper named in the refusal of a call that needs background work. */
    private Optional<String> refusedElsewhere(Daemon daemon, String spend) {
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sweep_stop\",\"params\":{\"client_token\":\"nobody\"}}";
        HttpResponse<String> answer =
                Dial.answer(Dial.post(daemon.uri(), spend, call).build());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        JsonNode error = Dial.json(answer.body()).get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-32044);
        assertThat(error.get("data").get("retryable").asBoolean()).isTrue();
        return Optional.ofNullable(error.get("data").get("keeper")).map(JsonNode::asText);
    }

    @Test
    void addresses_that_are_watched_and_the_pause_of_payouts_are_the_same_at_all_daemons() throws Exception {
        Party shop = new Party(77);
        String address = shop.address.toString();
        try (Daemon one = start(first);
                Daemon two = start(second)) {
            WalletdClient atOne = client(one);
            WalletdClient atTwo = client(two);
            atTwo.call("watch_address", Map.of("address", address, "label", "shop"));
            assertThat(watched(atTwo)).contains(address);
            Await.until("the keeper sees it", () -> watched(atOne).contains(address));
            atOne.call("unwatch_address", Map.of("address", address));
            Await.until(
                    "the other one does not see it any more",
                    () -> !watched(atTwo).contains(address));
            String payer = atOne.call("generate_standard_address", Map.of())
                    .path("address")
                    .asText();
            atTwo.call("payout_pause", Map.of());
            assertThat(database.number("SELECT paused FROM payout_queue")).isEqualTo(1);
            atOne.call(
                    "payout_submit",
                    Map.of(
                            "payouts", List.of(payout("payout-of-all", shop, 1_000)),
                            "from", Map.of("addresses", List.of(payer))));
            for (WalletdClient each : List.of(atOne, atTwo)) {
                Await.until(
                        "the payout waits for the end of the pause",
                        () -> waitsFor(each).equals("paused"));
                assertThat(waiting(each, "paused")).isEqualTo(1);
                assertThat(waiting(each, "coins")).isZero();
            }
            atOne.call("payout_resume", Map.of());
            Await.until("that is known", () -> waitsFor(atTwo).isEmpty());
            assertThat(waiting(atTwo, "paused")).isZero();
            assertThat(DaemonProcess.refusal(atTwo, "payout_list", Map.of("waiting_for", "coins"))
                            .code())
                    .isEqualTo(-32044);
        }
    }

    private static String waitsFor(WalletdClient daemon) {
        return daemon.call("payout_get", Map.of("payout_id", "payout-of-all"))
                .at("/payout/waiting_for")
                .asText();
    }

    private static int waiting(WalletdClient daemon, String what) {
        return daemon.call("payout_list", Map.of("waiting_for", what))
                .path("payouts")
                .size();
    }

    private WalletdClient client(Daemon daemon) throws IOException {
        return new WalletdClient(daemon.uri(), token(first, "spend"), Optional.empty(), Duration.ofSeconds(30));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    void a_key_that_was_paid_before_it_is_imported_beside_the_keeper_is_credited_and_pays_at_all_daemons()
            throws Exception {
        Party payer = new Party(71);
        Party shop = new Party(72);
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
                DaemonRig one = DaemonRig.over(chain, first, "--store", database.url())) {
            one.fund(payer, 5_000_000, 7_000_000);
            one.mine(3);
            copyTokens();
            try (DaemonRig two = DaemonRig.over(chain, second, "--store", database.url())) {
                two.call("import_private_key", "private_key", payer.secret());
                assertThat(one.call("sign_message", "address", payer.address, "message", "it is known at once")
                                .get("signature")
                                .asText())
                        .isNotEmpty();
                for (DaemonRig each : List.of(two, one)) {
                    Await.until(
                            "its coins are credited",
                            () -> each.call("list_credits").get("credits").size() == 2);
                }
                pay(one, payer, shop, "order-0001");
                pay(two, payer, shop, "order-0002");
                pay(one, payer, shop, "order-0002");
                one.mine(1);
                for (DaemonRig each : List.of(two, one)) {
                    Await.until("both are paid", () -> each.balance(shop.address) == 2_000);
                }
            }
        }
    }

    @Test
    void a_token_that_was_paid_at_another_daemon_with_the_last_coin_is_answered_with_its_receipt() throws Exception {
        Party shop = new Party(72);
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
                DaemonRig one = DaemonRig.over(chain, first, "--store", database.url())) {
            copyTokens();
            try (DaemonRig two = DaemonRig.over(chain, second, "--store", database.url())) {
                for (int number = 1; number <= 5; number++) {
                    Party payer = one.imported(80 + number);
                    one.fund(payer, 5_000);
                    for (DaemonRig each : List.of(one, two)) {
                        Await.until("its coin is known", () -> each.balance(payer.address) == 5_000);
                    }
                    JsonNode receipt = pay(two, payer, shop, "order-000" + number);
                    assertThat(pay(one, payer, shop, "order-000" + number)).isEqualTo(receipt);
                }
            }
        }
    }

    @Test
    void a_daemon_continues_without_the_database_after_the_move_back_and_later_on_another_one() throws Exception {
        Party shop = new Party(72);
        String watched = new Party(77).address.toString();
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10))) {
            Party payer;
            String minted;
            JsonNode receipt;
            JsonNode credits;
            String named;
            try (DaemonRig rig = DaemonRig.over(chain, first, "--store", database.url())) {
                payer = rig.imported(81);
                minted = rig.newAddress();
                rig.fund(payer, 5_000_000, 7_000_000);
                rig.mine(1);
                Await.until("its coins are known", () -> rig.balance(payer.address) == 12_000_000);
                receipt = pay(rig, payer, shop, "order-0001");
                rig.mine(1);
                rig.awaitFollowed();
                rig.call("watch_address", "address", watched, "label", "shop");
                rig.call("payout_pause");
                rig.call("payout_submit", payouts(payer, List.of(payout("payout-of-all", new Party(77), 1_000))));
                credits = rig.call("list_credits");
                named = command(second, "token", "create", "shop", "--scope", "read");
                complains(first, "store", "move", "--back").contains("another process is using the datadir");
            }
            complains(second, "store", "move", "--back").contains("name the one that works with the database");
            complains(first, "store", "move", "--back", "--give-up").contains("say store move, ");
            complains(first, "store", "restored", "--back").contains("say store move, ");
            complains(first, "store", "move", "--give-up").contains("there is nothing to give up");
            Path readToken = first.resolve("token-read");
            Files.move(readToken, second.resolveSibling("token-read"));
            complains(first, "store", "move", "--back").contains("the read token of the daemons is not in");
            Files.move(second.resolveSibling("token-read"), readToken);
            Files.createDirectory(first.resolve("wallets"));
            Files.writeString(first.resolve("wallets/state.json"), "{}");
            complains(first, "store", "move", "--back").contains("wallets is in the way of what the database has");
            Files.delete(first.resolve("wallets/state.json"));
            complains(first, "store", "move", "--back", "--spend-cap-per-tx", "5")
                    .contains("has other caps");
            database.run("CREATE TABLE kept AS SELECT * FROM sealed; DELETE FROM sealed");
            complains(first, "store", "move", "--back")
                    .contains("the move back has not ended: ", "run it again, or go on with the database after store");
            database.run("INSERT INTO sealed SELECT * FROM kept; DROP TABLE kept");

            assertThat(command(first, "store", "move", "--back"))
                    .contains(
                            "spends 1, ",
                            "keys: 2",
                            "wallets was in the way of a new one and is " + first.resolve("wallets-before-move")
                                    + " now",
                            "start without --store");

            assertThat(command(first, "store", "move", "--back")).contains("nothing was done");
            complains(first, "store", "move", "--give-up").contains("was moved back to walletd.db in " + first);
            complains(second, "token", "revoke", "shop").contains("was moved back to walletd.db in " + first);
            refused("keeps its payments in walletd.db", first);
            refused("was moved back to walletd.db in " + first, second);
            try (DaemonRig rig = DaemonRig.over(chain, first)) {
                assertThat(pay(rig, payer, shop, "order-0001")).isEqualTo(receipt);
                rig.awaitFollowed();
                assertThat(rig.call(
                                        "list_credits",
                                        "cursor",
                                        credits.path("cursor").asText())
                                .path("credits"))
                        .as("what was told already")
                        .isEmpty();
                assertThat(rig.call("list_credits").path("credits")).isEqualTo(credits.path("credits"));
                assertThat(watched(rig.client())).contains(watched, minted);
                assertThat(waitsFor(rig.client())).isEqualTo("paused");
                rig.call("sign_message", "address", minted, "message", "the key is here");
                assertThat(accepts(rig.daemon(), named)).isTrue();
                rig.call("generate_standard_address");
            }
            try (TestDatabase next = new TestDatabase()) {
                Commands.onDatabase(first, next.url(), "store", "move").printed();
                try (DaemonRig rig = DaemonRig.over(chain, first, "--store", next.url())) {
                    assertThat(pay(rig, payer, shop, "order-0001")).isEqualTo(receipt);
                    assertThat(rig.call("list_credits").path("credits")).isEqualTo(credits.path("credits"));
                    assertThat(accepts(rig.daemon(), named)).isTrue();
                }
                assertThat(first.resolve("wallets-moved/state.json")).exists();
            }
        }
    }

    private void copyTokens() throws IOException {
        Files.createDirectories(second);
        for (String scope : List.of("read", "manage", "spend")) {
            Files.copy(first.resolve("token-" + scope), second.resolve("token-" + scope));
        }
    }

    private static JsonNode pay(DaemonRig daemon, Party payer, Party shop, String token) {
        return daemon.call("transfer", payment(payer.address, shop.address, 1_000, "client_token", token));
    }

    private static String watched(WalletdClient client) {
        return client.call("list_addresses", Map.of("include_watch_only", true)).toString();
    }

    @Test
    void the_copy_of_a_datadir_is_refused_while_its_daemon_works() throws Exception {
        try (Daemon working = start(first)) {
            Path copy = folder.resolve("copy");
            copy(first, copy);
            // The daemon may have committed in the meantime, which is another reason for the refusal.
            refused("copy", copy);
            assertThat(accepts(working, token(first, "read"))).isTrue();
        }
        start(first).close();
    }

    @Test
    void a_daemon_of_a_release_that_shares_with_nobody_is_to_be_stopped_first() throws Exception {
        start(first).close();
        database.run("UPDATE daemons SET ended = false, shares = false,"
                + " beaten = (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
        refused("of an earlier release, which shares it with nobody", second);
        database.run("UPDATE daemons SET beaten = beaten - 20000");
        start(second).close();
    }

    @Test
    void a_daemon_whose_background_work_hangs_loses_it_although_its_heart_beats() throws Exception {
        start(first).close();
        database.run("UPDATE daemons SET ended = false");
        database.run("UPDATE keeper SET given_back = false");
        try (Daemon successor = start(second)) {
            assertThat(successor.keeper().isRunning()).isFalse();
            Await.until("it takes the work over", () -> {
                database.run("UPDATE daemons SET beaten = (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
                return successor.keeper().isRunning();
            });
            assertThat(accepts(successor, token(first, "read"))).isTrue();
        }
    }

    @Test
    void tokens_can_be_made_and_revoked_while_nothing_is_spent() throws Exception {
        start(first).close();
        database.run("UPDATE store SET stopped = 'it has forgotten payments'");
        try (Daemon daemon = start(first)) {
            String shop = command(first, "token", "create", "shop", "--scope", "read");
            Await.until("the new token is accepted", () -> accepts(daemon, shop));
            command(first, "token", "revoke", "shop");
            Await.until("the revoked token is refused", () -> !accepts(daemon, shop));
        }
    }

    @Test
    void a_daemon_has_the_lease_on_background_work_and_gives_it_back_at_its_end() throws Exception {
        try (Daemon daemon = start(first)) {
            assertThat(daemon.keeper().isRunning()).isTrue();
            long renewal = database.number("SELECT renewal FROM keeper");
            Await.until("it is renewed", () -> database.number("SELECT renewal FROM keeper") > renewal);
            Await.until(
                    "its address is known",
                    () -> run(first, "cluster", "status").output().stream()
                            .anyMatch(line -> line.contains(daemon.uri().toString())));
            assertThat(run(first, "cluster", "status").output()).contains("keeper    start 1, lease taken 1 times");
        }
        assertThat(run(first, "cluster", "status").output()).contains("keeper    none, lease taken 1 times");
    }

    @Test
    void each_daemon_and_the_command_tell_that_nobody_renews_the_lease_and_that_somebody_does_again() throws Exception {
        try (DaemonRig keeper = new DaemonRig(first, ScriptedNode.refusing(), "--store", database.url())) {
            copyTokens();
            try (DaemonRig other = new DaemonRig(second, ScriptedNode.refusing(), "--store", database.url())) {
                List<DaemonRig> both = List.of(keeper, other);
                both.forEach(daemon -> {
                    assertThat(leaseAge(daemon)).isLessThan(15);
                    assertThat(daemon.readiness().body()).doesNotContain("background work");
                });
                database.run("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'not today'; END $$;"
                        + "CREATE TRIGGER refuse BEFORE UPDATE ON keeper FOR EACH ROW EXECUTE FUNCTION refuse()");
                for (DaemonRig daemon : both) {
                    Await.until(
                            "/readyz says so",
                            () -> daemon.readiness().body().contains("no daemon of the database has been seen"));
                    assertThat(leaseAge(daemon)).isGreaterThanOrEqualTo(15);
                    assertThat(daemon.metrics()).contains("walletd_ready{check=\"background\"} 0");
                }
                assertThat(command(first, "cluster", "status"))
                        .contains("keeper    start 1, lease taken 1 times, but not renewed now");
                assertThat(command(first, "cluster", "status", "--output", "json"))
                        .containsPattern("\"keeper_renews\" ?: ?false");

                database.run("DROP TRIGGER refuse ON keeper");
                for (DaemonRig daemon : both) {
                    Await.until(
                            "all is well",
                            () -> daemon.metrics().contains("walletd_ready{check=\"background\"} 1")
                                    && leaseAge(daemon) < 15);
                }
                assertThat(command(first, "cluster", "status")).doesNotContain("not renewed");
            }
        }
    }

    private static double leaseAge(DaemonRig daemon) {
        return daemon.metric("walletd_keeper_age_seconds");
    }

    @Test
    void a_daemon_that_lost_the_lease_ends_the_background_work_and_can_take_it_again() throws Exception {
        try (Daemon daemon = start(first)) {
            database.run("INSERT INTO daemons (timeline, boot, beaten) SELECT timeline, boot, beaten FROM daemons");
            database.run("UPDATE keeper SET start = 2, epoch = 2");
            Await.until("it has ended", () -> !daemon.keeper().isRunning());
            assertThat(accepts(daemon, token(first, "read"))).isTrue();
            Await.until("the silent one counts as gone", () -> daemon.keeper().isRunning());
            assertThat(database.number("SELECT epoch FROM keeper")).isEqualTo(3);
        }
    }

    @Test
    void a_release_runs_beside_the_next_one_until_the_upgrade_is_finished() throws Exception {
        start(first).close();
        // The next release has extended the tables.
        database.run("UPDATE store SET version = version + 1");
        start(second).close();
        database.run("UPDATE store SET version = version - 1");
        try (Daemon running = start(first)) {
            database.run("UPDATE daemons SET release = release - 1 WHERE NOT ended");
            complains(second, "cluster", "finish-upgrade")
                    .contains("of a daemon of an earlier release, which has not ended");
            assertThat(accepts(running, token(first, "read"))).isTrue();
        }
        assertThat(command(second, "cluster", "finish-upgrade")).contains("are refused from now on");
        assertThat(command(second, "cluster", "finish-upgrade")).contains("nothing was done");
        start(first).close();
        // Like the tables seen by a daemon of the previous release, once the upgrade to the next one is finished.
        database.run("UPDATE store SET version = version + 1, least = version + 1");
        refused("install the newer one", second);
    }

    @Test
    void tables_of_an_earlier_release_are_given_the_lease() throws Exception {
        start(first).close();
        database.run("DROP TABLE keeper");
        database.run("ALTER TABLE daemons DROP COLUMN address");
        database.run("ALTER TABLE daemons DROP COLUMN shares");
        database.run("ALTER TABLE daemons DROP COLUMN release");
        database.run("ALTER TABLE store DROP COLUMN least");
        database.run("ALTER TABLE spends DROP COLUMN signed_off");
        database.run("DROP FUNCTION key_changing, key_deleted, keyring_changed CASCADE");
        database.run("DROP TABLE deleted_keys");
        database.run("ALTER TABLE keys DROP COLUMN commit");
        complains(first, "cluster", "status").contains("made by an earlier release");
        try (Daemon daemon = start(second)) {
            assertThat(daemon.keeper().isRunning()).isTrue();
            assertThat(database.number("SELECT epoch FROM keeper")).isEqualTo(1);
            assertThat(
                            database.number(
                                    "SELECT count(*) FROM pg_trigger WHERE tgname IN ('key_changing', 'key_deleted',"
                                            + " 'keys_changed', 'keyring_changed', 'members_changed', 'evm_key_sealed', 'evm_key_removed')"))
                    .isEqualTo(7);
        }
    }
}
