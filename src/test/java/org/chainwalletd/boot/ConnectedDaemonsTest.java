package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.cluster.Node;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Daemons of one database that are connected to each other (scale-out.md, section 6). */
@Timeout(300)
@Tag("postgres")
class ConnectedDaemonsTest {
    private static final String STOP = "\"sweep_stop\",\"params\":{\"client_token\":\"nobody-0001\"}";

    @TempDir
    Path folder;

    private final List<Daemon> daemons = new CopyOnWriteArrayList<>();
    private TestDatabase database;
    private Path first;
    private Path second;

    @BeforeEach
    void name() {
        database = new TestDatabase();
        first = folder.resolve("first");
        second = folder.resolve("second");
    }

    @AfterEach
    void close() throws IOException {
        daemons.forEach(Daemon::close);
        database.close();
    }

    private Daemon start(Path datadir, String... flags) {
        List<String> all = new ArrayList<>(List.of("--store", database.url()));
        all.addAll(List.of("--cluster-bind", "127.0.0.1:0"));
        all.addAll(List.of(flags));
        Daemon started =
                DaemonRig.start(DaemonRig.settings(datadir, ScriptedNode.refusing(), all.toArray(String[]::new)));
        daemons.add(started);
        return started;
    }

    private static void connected(Daemon... all) {
        for (Daemon each : all) {
            Await.until("they are connected", () -> each.cluster().members() == all.length);
        }
    }

    private Commands.Ended run(String... words) {
        return Commands.onDatabase(first, database.url(), words);
    }

    private String token(String scope) {
        try {
            return Files.readString(first.resolve("token-" + scope)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String request(String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":" + method + "}";
    }

    private static HttpResponse<String> call(Daemon daemon, String token, String body) {
        return Dial.answer(Dial.post(daemon.uri(), token, body).build());
    }

    /** Returns the answer of a daemon that has found another daemon to answer the call. */
    private static HttpResponse<String> answer(Daemon daemon, String token, String body) {
        List<HttpResponse<String>> last = new ArrayList<>();
        Await.until("it is answered", () -> {
            last.add(0, call(daemon, token, body));
            return !last.get(0).body().contains("-32044");
        });
        return last.get(0);
    }

    private static void assertSame(HttpResponse<String> answer, HttpResponse<String> other) {
        assertThat(answer.statusCode()).isEqualTo(other.statusCode());
        assertThat(answer.body()).isEqualTo(other.body());
    }

    @Test
    void a_call_is_answered_as_at_the_keeper_wherever_it_comes_and_by_the_next_keeper() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        Daemon three = start(folder.resolve("third"));
        connected(keeper, two, three);
        assertThat(two.keeper().isRunning()).isFalse();

        HttpResponse<String> refusal = answer(two, token("spend"), request(STOP));
        assertSame(refusal, call(keeper, token("spend"), request(STOP)));
        assertThat(Dial.json(refusal.body()).get("error").get("code").asInt()).isNotIn(-32603, -32044);
        String abandon = "\"abandon_transfer\",\"params\":{\"outpoints\":[{\"tx_id\":\"" + "ab".repeat(32)
                + "\",\"output_index\":1}]}";
        HttpResponse<String> result = answer(three, token("spend"), request(abandon));
        assertSame(result, call(keeper, token("spend"), request(abandon)));
        assertThat(result.body()).contains("\"id\":\"a-1\"");
        assertThat(answer(two, token("spend"), "[" + request(STOP) + "]").body())
                .isEqualTo("[" + refusal.body() + "]");
        assertSame(call(two, token("read"), request(STOP)), call(keeper, token("read"), request(STOP)));

        keeper.close();
        Await.until(
                "another one takes over",
                () -> two.keeper().isRunning() || three.keeper().isRunning());
        connected(two, three);
        assertThat(answerOfOther(two, three, token("spend"), request(STOP)).body())
                .isEqualTo(refusal.body());
    }

    /**
     * Returns the answer of whichever daemon did not do the background work meanwhile, which either may take from the other. One that has not heard
     * of the end of the former keeper calls that one in vain, and says that the outcome is unknown.
     */
    private static HttpResponse<String> answerOfOther(Daemon one, Daemon other, String token, String body) {
        List<HttpResponse<String>> last = new ArrayList<>();
        Await.until("one that does not do the work reaches the one that does", () -> {
            Daemon asked = one.keeper().isRunning() ? other : one;
            last.add(0, answer(asked, token, body));
            return !asked.keeper().isRunning() && !last.get(0).body().contains("answer was lost");
        });
        return last.get(0);
    }

    private static Node.Answer hand(Daemon from, String token, boolean named, String method) {
        return hand(from, token, named, method, 0);
    }

    private static Node.Answer hand(Daemon from, String token, boolean named, String method, long age) {
        return hand(from, from.cluster().sealed().seal(call(from, token, named, method, age)));
    }

    private static Node.Call call(Daemon from, String token, boolean named, String method, long age) {
        long millis = from.cluster().millis().orElseThrow() - age;
        return new Node.Call(token, named, "", millis, request(method).getBytes(StandardCharsets.US_ASCII));
    }

    private static Node.Answer hand(Daemon from, Node.Call sealed) {
        Node.Answer answer = Await.result(from.cluster().node().orElseThrow().hand(sealed));
        return answer instanceof Node.Answer.Given given
                ? new Node.Answer.Given(
                        given.status(),
                        from.cluster()
                                .sealed()
                                .open(sealed, given)
                                .orElseThrow()
                                .body())
                : answer;
    }

    @Test
    void
            a_call_that_was_not_sealed_by_a_daemon_of_the_database_or_comes_twice_is_not_begun_and_nobody_says_that_nothing_was() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        connected(keeper, two);
        answer(two, token("spend"), request(STOP));
        Node.Call call = call(two, "spend", false, STOP, 0);
        assertThat(hand(two, call)).isEqualTo(new Node.Answer.Lost());
        SealedCalls strangers = new SealedCalls("ab".repeat(32), 1_000);
        assertThat(hand(two, strangers.seal(call))).isEqualTo(new Node.Answer.Lost());
        Node.Call sealed = two.cluster().sealed().seal(call);
        assertThat(hand(two, new Node.Call("manage", false, "", sealed.millis(), sealed.request())))
                .isEqualTo(new Node.Answer.Lost());
        assertThat(hand(two, sealed)).isInstanceOf(Node.Answer.Given.class);
        assertThat(hand(two, sealed)).isEqualTo(new Node.Answer.Lost());
    }

    @Test
    void the_keeper_judges_the_token_as_it_knows_it() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        connected(keeper, two);
        answer(two, token("spend"), request(STOP));
        assertThat(error(hand(two, "read", false, STOP))).isEqualTo(-32001);
        assertThat(hand(two, "unheard-of", true, STOP)).isEqualTo(new Node.Answer.Lost());
        assertThat(isUnauthorized(hand(two, "unheard-of", false, STOP))).isTrue();

        assertThat(hand(two, "spend", false, STOP)).isInstanceOf(Node.Answer.Given.class);
        assertThat(hand(two, "spend", false, STOP, 11_000)).isEqualTo(new Node.Answer.Lost());

        String shop = run("token", "create", "shop", "--scope", "spend").printed();
        Await.until("the keeper knows it", () -> hand(two, "shop", true, STOP) instanceof Node.Answer.Given);
        Await.until(
                "the other one knows it", () -> call(two, shop, request(STOP)).statusCode() != 401);
        assertSame(answer(two, shop, request(STOP)), call(keeper, shop, request(STOP)));
        run("token", "create", "bound", "--scope", "spend", "--methods", "ping").printed();
        Await.until(
                "the keeper knows the bound one", () -> hand(two, "bound", true, STOP) instanceof Node.Answer.Given);
        assertThat(error(hand(two, "bound", true, STOP))).isEqualTo(-32043);
        run("token", "revoke", "shop").printed();
        Await.until("the keeper refuses it", () -> isUnauthorized(hand(two, "shop", true, STOP)));
    }

    private static boolean isUnauthorized(Node.Answer answer) {
        return answer instanceof Node.Answer.Given given && given.status() == 401 && given.body().length == 0;
    }

    private static int error(Node.Answer answer) {
        return Dial.json(new String(((Node.Answer.Given) answer).body(), StandardCharsets.UTF_8))
                .get("error")
                .get("code")
                .asInt();
    }

    @Test
    void a_secret_is_handed_over_with_its_call() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        connected(keeper, two);
        String address = Dial.json(call(keeper, token("manage"), request("\"generate_standard_address\""))
                        .body())
                .get("result")
                .get("address")
                .asText();
        String delete =
                "\"delete_address\",\"params\":{\"address\":\"" + address + "\",\"force\":true,\"passphrase\":\"";
        assertThat(answer(two, token("spend"), request(delete + "wrong\"}")).body())
                .contains("\"error\"");
        HttpResponse<String> deleted = answer(two, token("spend"), request(delete + DaemonRig.PASSPHRASE + "\"}"));
        assertThat(deleted.body()).contains("\"result\"");
    }

    @Test
    void commits_are_hinted_at_to_the_others() {
        Daemon one = start(first);
        Daemon two = start(second);
        connected(one, two);
        List<Long> heard = new CopyOnWriteArrayList<>();
        two.cluster().whenHinted("store", heard::add);
        String address = new Party(77).address.toString();
        Await.until("a commit is hinted at", () -> {
            call(one, token("manage"), request("\"watch_address\",\"params\":{\"address\":\"" + address + "\"}"));
            call(one, token("manage"), request("\"unwatch_address\",\"params\":{\"address\":\"" + address + "\"}"));
            return !heard.isEmpty();
        });
        assertThat(heard.get(0)).isPositive();
    }

    @Test
    void blocks_are_hinted_at_to_the_others() throws Exception {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(3))) {
            Daemon one = start(first, "--node-rpc", chain.uri().toString());
            Daemon two = start(second, "--node-rpc", chain.uri().toString());
            connected(one, two);
            List<Long> heard = new CopyOnWriteArrayList<>();
            two.cluster().whenHinted("books", heard::add);
            Await.until("a block is hinted at", () -> {
                chain.mine(1);
                return heard.stream().anyMatch(height -> height > 3);
            });
        }
    }

    @Test
    void a_daemon_whose_node_ends_continues_and_comes_back_to_the_others() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        connected(keeper, two);
        Node before = two.cluster().node().orElseThrow();
        before.close(Duration.ofSeconds(20));
        assertThat(call(two, token("read"), request("\"ping\"")).statusCode()).isEqualTo(200);
        assertThat(call(two, token("spend"), request(STOP)).body()).contains("-32044");
        connected(keeper, two);
        assertThat(two.cluster().node().orElseThrow()).isNotSameAs(before);
        answer(two, token("spend"), request(STOP));
        assertThat(two.gaveUp().toCompletableFuture()).isNotDone();
    }

    @Test
    void two_that_begin_at_once_are_together() {
        start(first).close();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<CompletableFuture<Daemon>> both = List.of(
                    CompletableFuture.supplyAsync(() -> start(first), threads),
                    CompletableFuture.supplyAsync(() -> start(second), threads));
            connected(Await.result(both.get(0)), Await.result(both.get(1)));
        } finally {
            threads.shutdown();
        }
        assertThat(
                        database.number(
                                "SELECT count(*) FROM daemons, gathering WHERE NOT ended AND gathered = number AND node IS NOT NULL"))
                .isEqualTo(2);
        assertThat(run("cluster", "status").output())
                .filteredOn(line -> line.contains("running"))
                .hasSize(2)
                .allMatch(line -> line.contains("127.0.0.1:") && !line.contains("alone"));
    }

    @Test
    void two_that_are_apart_although_both_work_come_together() {
        Daemon keeper = start(first);
        Daemon two = start(second);
        connected(keeper, two);
        database.run("UPDATE gathering SET number = number + 1, founder = ''");
        Await.until(
                "both belong to the new one",
                () -> database.number(
                                "SELECT count(*) FROM daemons, gathering WHERE NOT ended AND gathered = number AND number > 1")
                        == 2);
        connected(keeper, two);
    }

    @Test
    void a_daemon_with_a_node_that_cannot_be_is_refused() {
        assertThatThrownBy(() -> start(first, "--cluster-cert", "a", "--cluster-key", "b", "--cluster-ca", "c"))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("--cluster-cert")
                .hasMessageContaining("cannot be read");
    }
}
