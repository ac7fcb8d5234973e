package org.chainwalletd.account.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.AccountTransaction;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that the client accepts from endpoints that fail, return false data, flood, hang, or send slowly. */
@Tag("long")
class AccountChainTest {
    private static final Duration SHORT = Duration.ofMillis(400);

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    private AccountChain one;

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
        one = rig.client(1, rig.first.uri());
    }

    @Test
    void every_question_is_answered_with_what_the_chain_has() {
        EvmWallet alice = rig.chain.account(1);
        Hash256 hashLock = Hash256.sha256(new byte[32]);
        Hash256 lock = alice.lock(hashLock, rig.own, 1_900_000_000L, BigInteger.TEN);
        rig.chain.mine();
        AccountReads reads = one.any();
        AccountBlock head = reads.block(BlockRef.Tag.LATEST).orElseThrow();

        assertThat(reads.block(BlockRef.hash(head.hash()))).contains(head);
        assertThat(reads.block(BlockRef.number(head.number()))).contains(head);
        assertThat(reads.block(BlockRef.number(head.number() + 1))).isEmpty();
        assertThat(head.baseFee()).isPresent();
        assertThat(reads.balance(rig.own, BlockRef.hash(head.hash()))).isEqualTo(AccountRig.ETHER);
        assertThat(reads.code(rig.chain.contract(), BlockRef.Tag.LATEST).isEmpty())
                .isFalse();
        assertThat(reads.storage(rig.chain.contract(), Hash256.ZERO, BlockRef.Tag.LATEST))
                .isEqualTo(Hash256.ZERO);
        assertThat(reads.swap(rig.chain.contract(), hashLock, BlockRef.hash(head.hash())))
                .isEqualTo(rig.chain.swap(hashLock));
        assertThat(reads.receipt(lock).orElseThrow().succeeded()).isTrue();
        assertThat(reads.transactionsTo(rig.chain.contract(), BlockRef.hash(head.hash()))
                        .orElseThrow())
                .extracting(AccountTransaction::hash)
                .containsExactly(lock);
        assertThat(reads.logs(new LogQuery(
                        rig.chain.contract(),
                        List.of(Optional.of(SwapContract.LOCKED_TOPIC), Optional.of(hashLock)),
                        0,
                        head.number())))
                .singleElement()
                .satisfies(log -> assertThat(
                                SwapContract.locked(log.topics(), log.data()).amount())
                        .isEqualTo(BigInteger.TEN));
        assertThat(reads.transactionCount(alice.address(), BlockRef.Tag.LATEST)).isEqualTo(1);
        assertThat(reads.tip()).isPositive();
        assertThat(reads.estimateGas(rig.own, rig.other, BigInteger.ONE, Bytes.EMPTY))
                .isEqualTo(21_000);
    }

    @Test
    void an_endpoint_of_another_chain_is_asked_nothing_but_its_chain_id() {
        rig.first.lies().chainId(1);

        assertThatThrownBy(() -> balance(one))
                .isInstanceOf(AccountException.WrongChain.class)
                .hasMessageContaining("is on chain 1, not 31337");
        assertThat(rig.first.count("eth_getBalance")).isZero();
        rig.first.behave();
        assertThat(balance(one)).isEqualTo(AccountRig.ETHER);
    }

    @Test
    void an_endpoint_that_was_unavailable_is_asked_for_its_chain_again() {
        balance(one);
        rig.first.down();
        assertThatThrownBy(() -> balance(one)).isInstanceOf(AccountException.Unreachable.class);
        rig.first.up();
        rig.first.lies().chainId(5);

        assertThatThrownBy(() -> balance(one)).isInstanceOf(AccountException.WrongChain.class);
    }

    @Test
    void the_next_endpoint_is_asked_when_one_is_silent_but_not_when_it_refuses() {
        AccountChain both = rig.client(1, rig.first.uri(), rig.second.uri());
        rig.first.status("eth_getBalance", 503, "busy");
        assertThat(balance(both)).isEqualTo(AccountRig.ETHER);
        rig.second.refuse("eth_getCode", -32000, "not today\n");

        assertThatThrownBy(() -> both.any().code(rig.own, BlockRef.Tag.LATEST))
                .isInstanceOfSatisfying(AccountException.Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo(-32000);
                    assertThat(refused.words()).isEqualTo("not today ");
                });
        assertThat(rig.first.count("eth_getCode"))
                .as("the one that answered last is asked first")
                .isZero();
    }

    @Test
    void nobody_waits_longer_for_an_endpoint_that_hangs_than_its_time() {
        AccountChain hurried = rig.client(1, SHORT, rig.first.uri());
        rig.first.hang("*");

        assertThatThrownBy(() -> balance(hurried))
                .isInstanceOf(AccountException.Unreachable.class)
                .hasMessageContaining("none in 400 ms");
    }

    @Test
    void no_more_is_read_of_an_answer_than_such_an_answer_can_have() {
        rig.first.flood("eth_getBalance", 16);

        assertThatThrownBy(() -> balance(one)).isInstanceOf(AccountException.class);
        rig.first.behave();
        assertThat(balance(one)).isEqualTo(AccountRig.ETHER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>login</html>",
                "[]",
                "{}",
                "{\"jsonrpc\":\"2.0\",\"id\":7777,\"result\":\"0x1\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":\"0x1\"}"
            })
    void what_is_no_answer_to_the_call_is_not_taken_for_one(String body) {
        one.any().chainId();
        rig.first.status("eth_getBalance", 200, body);

        assertThatThrownBy(() -> balance(one)).isInstanceOf(AccountException.BadAnswer.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 204, 302, 500})
    void only_http_200_is_an_answer_whatever_its_body_says(int status) {
        one.any().chainId();
        rig.first.status("eth_getBalance", status, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"0x1\"}");

        assertThatThrownBy(() -> balance(one))
                .isInstanceOf(AccountException.Unreachable.class)
                .hasMessageContaining("HTTP " + status);
    }

    @Test
    void a_small_answer_of_many_empty_values_does_not_become_a_large_tree() {
        one.any().chainId();
        rig.first.status(
                "eth_getLogs", 200, "{\"id\":2,\"result\":[" + "[],".repeat(Question.Size.WIDE.tokens() / 2) + "[]]}");

        assertThatThrownBy(() -> one.any().logs(new LogQuery(rig.other, List.of(), 0, 1)))
                .isInstanceOf(AccountException.BadAnswer.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "\"0x\"", "\"12\"", "7", "null", "{}", "\"0xzz\"", "\"0x-1\""})
    void what_is_no_number_is_no_balance(String result) {
        assertThatThrownBy(() -> Quantities.number(new ObjectMapper().readTree(result)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void answers_to_other_questions_are_refused() {
        EvmWallet alice = rig.chain.account(1);
        Hash256 sent = alice.pay(rig.own, BigInteger.ONE);
        rig.chain.mine();
        Hash256 lied = Hash256.sha256(new byte[] {9});
        rig.first.lies().tell((method, params, truth) -> {
            if (truth.isObject() && truth.has("transactionHash")) {
                return truth.<ObjectNode>deepCopy().put("transactionHash", "0x" + lied.hex());
            }
            if (truth.isObject() && truth.has("hash")) {
                return truth.<ObjectNode>deepCopy()
                        .put("hash", "0x" + lied.hex())
                        .put("number", "0x77");
            }
            return truth;
        });
        Hash256 head = rig.chain.head().hash();

        List<Function<AccountReads, ?>> questions = List.of(
                reads -> reads.receipt(sent),
                reads -> reads.block(BlockRef.hash(head)),
                reads -> reads.block(BlockRef.number(1)));
        for (Function<AccountReads, ?> question : questions) {
            assertThatThrownBy(() -> question.apply(one.any())).isInstanceOf(AccountException.BadAnswer.class);
        }
    }

    @Test
    void events_that_were_not_asked_for_are_refused() {
        ArrayNode events = JsonNodeFactory.instance.arrayNode();
        events.addObject()
                .put("address", "0x" + "77".repeat(20))
                .put("data", "0x")
                .put("blockNumber", "0x1")
                .put("logIndex", "0x0")
                .put("blockHash", "0x" + "00".repeat(32))
                .put("transactionHash", "0x" + "00".repeat(32))
                .putArray("topics");
        rig.first.lies().tell((method, params, truth) -> method.equals("eth_getLogs") ? events : truth);

        assertThatThrownBy(() -> one.any().logs(new LogQuery(rig.other, List.of(), 0, 9)))
                .isInstanceOf(AccountException.BadAnswer.class);
    }

    @Test
    void a_quorum_of_two_believes_neither_when_they_differ() {
        rig.second.lies().balance(rig.own, BigInteger.ONE);

        assertThatThrownBy(() -> agreedBalance(rig.endpoints))
                .isInstanceOfSatisfying(
                        AccountException.Disagreement.class,
                        why -> assertThat(why.contradicted()).isTrue())
                .hasMessageContaining(rig.first.uri().getAuthority() + " says 1000000000000000000")
                .hasMessageContaining(rig.second.uri().getAuthority() + " says 1");
    }

    @Test
    void two_of_three_outvote_a_dishonest_one_and_do_without_a_silent_one() {
        var third = rig.chain.newEndpoint();
        AccountChain three = rig.client(2, Duration.ofSeconds(2), rig.first.uri(), rig.second.uri(), third.uri());
        third.lies().balance(rig.own, BigInteger.ONE);
        assertThat(agreedBalance(three)).isEqualTo(AccountRig.ETHER);
        third.behave();
        third.hang("*");

        assertThat(agreedBalance(three)).isEqualTo(AccountRig.ETHER);
        assertThat(reachedCount(three)).isZero();
    }

    @Test
    void no_single_endpoint_pushes_a_count_up_or_a_fee() {
        rig.second.lies().nonce(rig.own, 99);
        JsonNode fees = JsonNodeFactory.instance.arrayNode().add("0x" + "f".repeat(30));
        rig.second
                .lies()
                .tell((method, params, truth) -> method.equals("eth_feeHistory")
                        ? truth.<ObjectNode>deepCopy().set("baseFeePerGas", fees)
                        : truth);

        assertThat(reachedCount(rig.endpoints)).isZero();
        assertThat(done(rig.fees()).baseFee()).isEqualTo(rig.chain.head().baseFee());
    }

    /** Creates a client with a quorum of two of these endpoints; their calls may take ten minutes. */
    private AccountChain withoutHaste(EvmEndpoint... endpoints) {
        URI[] uris = Stream.of(endpoints).map(EvmEndpoint::uri).toArray(URI[]::new);
        return rig.client(2, Duration.ofMinutes(10), uris);
    }

    @Test
    void a_slow_endpoint_delays_nothing_that_a_quorum_decides() {
        AccountChain three = withoutHaste(rig.first, rig.second, rig.chain.newEndpoint());
        rig.chain.mine(10);
        rig.second.hang("*");

        assertThat(done(three.finalBlock())).isPresent();
        assertThat(done(three.newestBlock()).number())
                .isEqualTo(rig.chain.head().number());
        assertThat(reachedCount(three)).isZero();
        assertThat(done(three.eachInTime(AccountReads::chainId, chain -> chain)))
                .hasSize(2);
    }

    @Test
    void two_answers_that_differ_wait_for_the_third_however_long_it_takes() {
        AccountChain three = withoutHaste(rig.first, rig.second, rig.chain.newEndpoint());
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        rig.first.lies().nonce(rig.own, 7);
        rig.second.before("eth_getTransactionCount", () -> {
            asked.countDown();
            Await.result(goOn);
        });

        CompletionStage<List<AccountChain.EndpointAnswer<Long>>> told =
                three.eachInTime(reads -> reads.transactionCount(rig.own, BlockRef.Tag.LATEST), count -> count);

        Await.opened(asked);
        // A query decided by a quorum ends within three seconds; one that is not decided has not ended then.
        assertThat(done(three.eachInTime(reads -> reads.transactionCount(rig.own, BlockRef.Tag.LATEST), count -> true)))
                .hasSize(2);
        assertThat(told.toCompletableFuture()).isNotDone();
        goOn.complete(null);
        assertThat(done(told)).hasSize(3);
    }

    /** A quorum of two of four: two late endpoints could agree on another answer, and then neither answer would be accepted. */
    @Test
    void others_who_could_still_be_a_quorum_are_waited_for() {
        AccountChain four = withoutHaste(rig.first, rig.second, rig.chain.newEndpoint(), rig.chain.newEndpoint());
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        rig.first.hang("*");
        rig.second.before("eth_chainId", () -> Await.result(goOn));
        CompletionStage<List<AccountChain.EndpointAnswer<BigInteger>>> told =
                four.eachInTime(AccountReads::chainId, chain -> chain);

        AccountChain three = withoutHaste(rig.first, rig.chain.newEndpoint(), rig.chain.newEndpoint());
        assertThat(done(three.eachInTime(AccountReads::chainId, chain -> chain)))
                .hasSize(2);
        assertThat(told.toCompletableFuture()).isNotDone();
        goOn.complete(null);
        assertThat(done(told)).hasSize(3);
    }

    /** The answer of a single endpoint can veto the decision. */
    @Test
    void all_are_waited_for_where_each_of_them_counts() {
        AccountChain three = withoutHaste(rig.first, rig.second, rig.chain.newEndpoint());
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        rig.second.before("eth_getBalance", () -> Await.result(goOn));
        CompletionStage<List<AccountChain.EndpointAnswer<BigInteger>>> told =
                three.each(reads -> reads.balance(rig.own, BlockRef.Tag.LATEST));

        assertThat(done(three.eachInTime(reads -> reads.balance(rig.own, BlockRef.Tag.LATEST), any -> true)))
                .hasSize(2);
        assertThat(told.toCompletableFuture()).isNotDone();
        goOn.complete(null);
        assertThat(done(told)).hasSize(3);
    }

    @Test
    void the_final_block_is_one_that_the_quorum_has() {
        rig.chain.mine(10);
        rig.second
                .lies()
                .tell((method, params, truth) -> params.path(0).asText().equals("finalized")
                        ? truth.<ObjectNode>deepCopy().put("number", "0x3")
                        : truth);

        AccountBlock last = done(rig.endpoints.finalBlock()).orElseThrow();

        assertThat(last.number()).isEqualTo(3);
        rig.second.lies().blockHash();
        assertThatThrownBy(() -> done(rig.endpoints.finalBlock())).isInstanceOf(AccountException.Disagreement.class);
    }

    /** Sending single bytes prevents every idle timeout. */
    @Test
    void an_endpoint_that_drips_is_left_when_its_time_is_over() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread dripper = new Thread(() -> drip(server), "dripper");
            dripper.setDaemon(true);
            dripper.start();
            AccountChain slow = rig.client(1, SHORT, URI.create("http://127.0.0.1:" + server.getLocalPort()));

            assertThatThrownBy(() -> slow.any().chainId()).isInstanceOf(AccountException.Unreachable.class);
        }
    }

    private static void drip(ServerSocket server) {
        try (Socket socket = server.accept();
                OutputStream out = socket.getOutputStream()) {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Type: application/json\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            while (true) {
                out.write('{');
                out.flush();
                Await.pause(20);
            }
        } catch (IOException e) {
            // The client has disconnected, as it should.
        }
    }

    @Test
    void a_transaction_that_an_endpoint_has_already_counts_as_taken() {
        rig.first.refuse("eth_sendRawTransaction", -32000, "already known");
        assertThat(done(one.sendToAll(Bytes.parse("02"), Hash256.ZERO))).isNull();
        rig.first.refuse("eth_sendRawTransaction", -32000, "nonce too low");

        assertThatThrownBy(() -> done(one.sendToAll(Bytes.parse("02"), Hash256.ZERO)))
                .isInstanceOf(AccountException.NotTaken.class)
                .hasMessageContaining("nonce too low");
    }

    private BigInteger balance(AccountChain client) {
        return client.any().balance(rig.own, BlockRef.Tag.LATEST);
    }

    private BigInteger agreedBalance(AccountChain client) {
        return done(client.agreed(reads -> reads.balance(rig.own, BlockRef.Tag.LATEST)));
    }

    private long reachedCount(AccountChain client) {
        CompletionStage<Long> count = client.reached(reads -> reads.transactionCount(rig.own, BlockRef.Tag.LATEST));
        return done(count);
    }

    @Test
    void operators_see_of_each_endpoint_whether_it_answers_and_how_far_it_is_behind() {
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        AccountChain client = rig.client(ByteBudget.ofHeap(AccountChain.HEAP_SHARE), metrics);
        assertThat(client.wasReached()).isFalse();
        rig.chain.mine(9);
        rig.second.behind(3);
        client.look();
        String second = "127.0.0.1:" + rig.second.uri().getPort();
        Await.until(
                "both have told of a block",
                () -> client.wasReached() && figure(metrics, "walletd.evm.height", second) > 0);
        Await.until("it is seen to be behind", () -> figure(metrics, "walletd.evm.lag.blocks", second) == 3);
        assertThat(figure(metrics, "walletd.evm.up", second)).isEqualTo(1);

        rig.second.status("eth_getBlockByNumber", 503, "");
        client.look();

        Await.until("it is seen to be away", () -> figure(metrics, "walletd.evm.up", second) == 0);
        assertThat(metrics.get("walletd.evm.calls")
                        .tag("endpoint", second)
                        .tag("outcome", "failed")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(client.wasReached()).isTrue();
    }

    private static double figure(SimpleMeterRegistry metrics, String name, String endpoint) {
        return metrics.get(name).tag("endpoint", endpoint).gauge().value();
    }

    @Test
    void what_is_sent_goes_out_although_there_is_no_memory_left_for_answers() {
        ByteBudget full = ByteBudget.of(0);
        AccountChain client = rig.client(full, new SimpleMeterRegistry());
        assertThatThrownBy(() -> client.any().chainId())
                .isInstanceOf(AccountException.Unreachable.class)
                .hasMessageContaining("no memory");
        rig.first.refuse("eth_sendRawTransaction", -32000, "already known");

        assertThat(done(client.sendToAll(Bytes.parse("02"), Hash256.ZERO))).isNull();
        Await.until("it was given back", () -> full.held() == 0);
    }

    @Test
    void events_can_be_read_with_the_share_of_the_smallest_heap_that_swaps_start_with_and_not_with_less() {
        LogQuery query = new LogQuery(rig.chain.contract(), List.of(), 0, 0);
        ByteBudget share = ByteBudget.of(AccountChain.LEAST_HEAP / AccountChain.HEAP_SHARE);
        AccountChain least = rig.client(share, new SimpleMeterRegistry());
        assertThat(least.endpoints().get(0).logs(query)).isEmpty();
        AccountChain less = rig.client(ByteBudget.of(share.limit() - 1), new SimpleMeterRegistry());
        assertThatThrownBy(() -> less.endpoints().get(0).logs(query))
                .isInstanceOf(AccountException.Unreachable.class)
                .hasMessageContaining("no memory");
    }

    /** A small heap has room for one answer with many events: endpoints that are queried together answer one after the other. */
    @Test
    void an_endpoint_waits_for_memory_that_the_answer_of_another_holds() {
        ByteBudget forOne = ByteBudget.of(Question.Size.WIDE.heap() + Question.Size.SMALL.heap());
        AccountChain client = rig.client(forOne, new SimpleMeterRegistry());
        client.look();
        Await.until("both are known", client::wasReached);
        CountDownLatch slow = new CountDownLatch(1);
        rig.first.before("eth_getLogs", () -> Await.opened(slow));
        LogQuery query = new LogQuery(rig.chain.contract(), List.of(), 0, 0);
        Executor threads = TestPools.of("askers");
        CompletableFuture<List<AccountLog>> first =
                CompletableFuture.supplyAsync(() -> client.endpoints().get(0).logs(query), threads);
        Await.until("the first is asked", () -> rig.first.count("eth_getLogs") == 1);

        CompletableFuture<List<AccountLog>> second =
                CompletableFuture.supplyAsync(() -> client.endpoints().get(1).logs(query), threads);

        long calls = rig.second.count("eth_getLogs");
        slow.countDown();
        assertThat(done(first)).isEmpty();
        assertThat(done(second)).isEmpty();
        assertThat(calls).as("asked while there was no room").isZero();
    }

    @Test
    void an_endpoint_that_hangs_for_claims_and_for_others_keeps_no_memory_from_another_endpoint() {
        AccountChain client = rig.client(ByteBudget.of(2 * Question.Size.WIDE.heap()), new SimpleMeterRegistry());
        client.look();
        Await.until("both are known", client::wasReached);
        rig.first.hang("eth_getLogs");
        LogQuery query = new LogQuery(rig.chain.contract(), List.of(), 0, 0);
        List<Thread> askers = new ArrayList<>();
        for (AccountChain lane : List.of(client, client.pressing())) {
            Thread asker = new Thread(() -> lane.endpoints().get(0).logs(query));
            asker.start();
            Await.until("it waits", () -> asker.getState() == Thread.State.TIMED_WAITING);
            askers.add(asker);
        }

        assertThat(client.endpoints().get(1).logs(query)).isEmpty();

        rig.first.behave();
        askers.forEach(Await::end);
    }

    @Test
    void an_endpoint_that_answers_nothing_about_its_settled_block_is_complained_of_with_that_reason() {
        rig.second.refuse("eth_getTransactionCount", -32000, "missing trie node");

        assertThat(done(rig.endpoints.complaints(Optional.empty())))
                .singleElement()
                .asString()
                .contains("state at its settled block")
                .contains("missing trie node");
        rig.second.behave();
        rig.second.refuse("eth_call", -32000, "missing trie node");
        assertThat(done(rig.endpoints.complaints(Optional.of(rig.chain.contract()))))
                .singleElement()
                .asString()
                .contains("pruned");
        rig.second.behave();
        assertThat(done(rig.endpoints.complaints(Optional.of(rig.chain.contract()))))
                .isEmpty();
    }
}
