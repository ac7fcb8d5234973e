package org.chainwalletd.swap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.chainwalletd.swap.pool.Pool.PoolInfo;
import org.chainwalletd.swap.pool.Pool.PoolQuote;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpPoolTest {
    private static final EvmAddress EVM = EvmAddress.parse("0x" + "0a".repeat(20));
    private static final PublicKey KEY = PublicKey.parse("0b".repeat(32));
    private static final Address ADDRESS = Address.parse("0c".repeat(32));
    private static final Hash256 LOCK = Hash256.parse("0d".repeat(32));

    @AutoClose("shutdownTestKit")
    private static ActorTestKit kit;

    private static HttpPeers peers;

    @TempDir
    Path folder;

    private final CountDownLatch silence = new CountDownLatch(1);
    private HttpServer server;
    private volatile int status = 200;
    private volatile String answer = "{}";
    private volatile boolean silent;
    private volatile String asked;

    @BeforeAll
    static void system() {
        kit = ActorTestKit.create();
        peers = Peers.of(kit.system());
    }

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(ForkJoinPool.commonPool());
        server.createContext("/", this::serve);
        server.start();
    }

    @AfterEach
    void end() {
        silence.countDown();
        server.stop(0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked = exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (silent) {
                silence.await(60, TimeUnit.SECONDS);
                return;
            }
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpPool pool(PoolWords words, Duration patience) {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        return new HttpPool(
                peers.to(uri), words, patience, ByteBudget.of(HttpPool.MOST_HELD), ForkJoinPool.commonPool());
    }

    private HttpPool pool() {
        return pool(PoolWords.DEFAULT, Duration.ofSeconds(10));
    }

    private static Pool.QuoteRequest request(Direction direction) {
        return new Pool.QuoteRequest(direction, "12.5", LOCK, EVM, KEY);
    }

    private static final String QUOTE = """
            {"swapId": "s-1", "amountIn": 12.5, "amountOut": "3", "amountInUnits": "1250000000",
             "amountOutUnits": "3000000000000000000", "expiresAt": 1800000300, "feeBps": 30, "networkFeeNative": null,
             "htlcContract": "0xc0", "more": [1, 2],
             "instructions": {"chain": {"receiverPubkey": "ab", "timeoutHeight": 18446744073709551615},
                              "evm": {"htlcContract": "0xc1", "recipient": "0xd0", "timeoutSec": "1800010000"}}}""";

    @Test
    void a_quote_is_asked_for_with_the_words_of_the_brands() {
        answer = QUOTE;
        done(pool().quote(request(Direction.CHAIN_TO_NATIVE)));
        assertThat(asked)
                .isEqualTo("POST /api/quote {\"direction\":\"chain_to_native\",\"amount_in\":\"12.5\",\"hashlock\":\"0x"
                        + LOCK.hex() + "\",\"flow\":\"v1\",\"user_evm_address\":\"" + EVM + "\"}");
        done(pool().quote(request(Direction.NATIVE_TO_CHAIN)));
        assertThat(asked).contains("native_to_chain", "\"user_chain_address\":\"" + KEY.hex() + "\"");
        answer = QUOTE.replace("chain\":", "acorn\":");
        PoolQuote branded = done(pool(new PoolWords("acorn", "evm", "oak"), Duration.ofSeconds(10))
                .quote(request(Direction.CHAIN_TO_NATIVE)));
        assertThat(asked).contains("acorn_to_oak");
        assertThat(branded.chain()).isPresent();
    }

    @Test
    void a_quote_is_read_with_exact_numbers_and_whole_u64() {
        answer = QUOTE;
        PoolQuote quote = done(pool().quote(request(Direction.CHAIN_TO_NATIVE)));
        assertThat(quote.amountIn()).isEqualTo("12.5");
        assertThat(quote.networkFeeNative()).isEmpty();
        assertThat(quote.chain()).contains(new PoolQuote.ChainLock("ab", -1L));
        assertThat(quote.evm()).contains(new PoolQuote.EvmLock("0xc1", "0xd0", 1_800_010_000L));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"swapId\": \"s-1\"=>\"swapId\": \"../lp\"",
                "\"swapId\": \"s-1\"=>\"swapId\": \"..\"",
                "\"swapId\": \"s-1\"=>\"swapId\": 7",
                "\"feeBps\": 30=>\"feeBps\": 30.5",
                "\"expiresAt\": 1800000300=>\"expiresAt\": 1e400",
                "\"amountIn\": 12.5=>\"amountIn\": 1e90",
                "\"timeoutHeight\": 18446744073709551615=>\"timeoutHeight\": 18446744073709551616",
                "\"timeoutHeight\": 18446744073709551615=>\"timeoutHeight\": -1",
                "\"amountInUnits\": \"1250000000\"=>\"amountInUnits\": 1250000000",
                "{\"swapId\"=>[{\"swapId\"",
            })
    void a_quote_with_a_field_of_another_form_is_nonsense(String change) {
        String[] parts = change.split("=>");
        answer = QUOTE.replace(parts[0], parts[1]);
        assertThat(answer).isNotEqualTo(QUOTE);
        assertThatThrownBy(() -> done(pool().quote(request(Direction.CHAIN_TO_NATIVE))))
                .isInstanceOf(PoolException.BadAnswer.class);
    }

    @Test
    void what_the_pool_leaves_out_of_its_description_is_empty() {
        answer = "{\"mid_price_native_per_chain\": \"0.25\", \"reserves\": {\"chain\": 5}}";
        PoolInfo info = done(pool().info());
        assertThat(info.midPrice()).contains(new BigDecimal("0.25"));
        assertThat(info.chainReserve()).contains(BigDecimal.valueOf(5));
        assertThat(info.nativeReserve()).isEmpty();
        assertThat(info.htlcContract()).isEmpty();
    }

    @Test
    void the_pools_refusal_is_reported_in_one_clean_short_line() {
        status = 422;
        answer = "no\u0007\n liquidity\u202e" + "x".repeat(2_000);
        assertThatThrownBy(() -> done(pool().info()))
                .isInstanceOf(PoolException.Refused.class)
                .hasMessageStartingWith("the pool refuses (HTTP 422): no   liquidity xxx")
                .satisfies(refusal -> assertThat(refusal.getMessage().length()).isLessThan(400));
        answer = "{\"error\": \"sold out\"}";
        assertThatThrownBy(() -> done(pool().info())).hasMessageEndingWith(": sold out");
        answer = "y".repeat(HttpPool.LONGEST_REFUSAL + 1);
        assertThatThrownBy(() -> done(pool().info())).hasMessageContaining("no reason");
    }

    @Test
    void a_redirection_is_a_refusal() {
        status = 302;
        assertThatThrownBy(() -> done(pool().info())).isInstanceOf(PoolException.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "7", "", "{} {}", "<html>"})
    void an_answer_that_is_no_object_is_nonsense(String text) {
        answer = text;
        assertThatThrownBy(() -> done(pool().lpPool())).isInstanceOf(PoolException.class);
    }

    @Test
    void an_answer_that_is_too_long_or_too_deep_is_not_held() {
        answer = "{\"a\": \"" + "z".repeat(HttpPool.LONGEST_ANSWER) + "\"}";
        assertThatThrownBy(() -> done(pool().lpPool())).isInstanceOf(PoolException.BadAnswer.class);
        answer = "{\"a\": " + "[".repeat(40) + "]".repeat(40) + "}";
        assertThatThrownBy(() -> done(pool().lpPool())).isInstanceOf(PoolException.BadAnswer.class);
    }

    @Test
    void a_silent_pool_costs_its_time_and_no_more() {
        silent = true;
        assertThatThrownBy(() ->
                        done(pool(PoolWords.DEFAULT, Duration.ofMillis(200)).info()))
                .isInstanceOf(PoolException.Unreachable.class);
    }

    @Test
    void klines_are_checked_and_bounded() {
        answer = "{\"items\": [{\"t\": 1, \"o\": \"1\", \"h\": 2, \"l\": \"0.5\", \"c\": 1.5}], \"stats\": {}}";
        assertThat(done(pool().klines("1d", 1))).hasSize(1);
        assertThat(asked).startsWith("GET /api/price/klines?interval=1d&limit=1 ");
        assertThatThrownBy(() -> done(pool().klines("1d", 0))).isInstanceOf(PoolException.BadAnswer.class);
        assertThatThrownBy(() -> pool().klines("1d&x=1", 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void liquidity_calls_go_where_they_should() {
        answer = "{\"shares\": \"5\"}";
        assertThat(done(pool().lpPosition(ADDRESS)).path("shares").textValue()).isEqualTo("5");
        assertThat(asked).startsWith("GET /api/lp/position/" + ADDRESS.hex());
        done(pool().lpDepositStart(ADDRESS, EVM));
        assertThat(asked).contains("/api/lp/deposit/start", "\"chain_address\"", "\"evm_address\"");
        done(pool().lpDeposit("d-1"));
        assertThat(asked).startsWith("GET /api/lp/deposit/d-1 ");
        done(pool().lpWithdraw(ADDRESS, "5"));
        assertThat(asked).contains("POST /api/lp/withdraw/self", "\"shares\":\"5\"");
        done(pool().notifyChainLock("s-1", LOCK));
        assertThat(asked).contains("/api/swap/s-1/notify-chain-lock", "\"chain_lock_tx_id\":\"" + LOCK.hex());
        assertThatThrownBy(() -> pool().lpDeposit("../swap")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_relayed_claim_names_its_transaction_and_no_words_of_the_pool_come_back_with_its_refusal() {
        byte[] secret = Hash256.sha256(new byte[] {9}).toArray();
        String hex = Hash256.of(secret).hex();
        answer = "{\"txhash\": \"0x" + LOCK.hex() + "\"}";
        try (SecretBytes preimage = SecretBytes.copyOf(secret)) {
            assertThat(done(pool().relayClaim("s-1", preimage))).isEqualTo(LOCK);
            assertThat(asked).startsWith("POST /api/swap/s-1/relay-claim").contains("\"preimage\":\"0x" + hex + "\"");
            answer = "{\"txhash\": \"" + hex + "f\"}";
            assertThatThrownBy(() -> done(pool().relayClaim("s-1", preimage)))
                    .isInstanceOf(PoolException.BadAnswer.class)
                    .hasMessageNotContaining(hex);
            status = 409;
            answer = "{\"error\": \"I know " + hex + "\"}";
            assertThatThrownBy(() -> done(pool().relayClaim("s-1", preimage)))
                    .isInstanceOf(PoolException.Refused.class)
                    .hasMessageNotContaining(hex);
        }
    }

    @Test
    void a_file_that_is_no_certificate_is_named() throws IOException {
        Path pem = folder.resolve("pool.pem");
        for (String content :
                new String[] {"", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "x"}) {
            Files.writeString(pem, content);
            assertThatThrownBy(() -> PoolCertificate.trustOnly(pem))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pool.pem");
        }
        assertThatThrownBy(() -> PoolCertificate.trustOnly(folder.resolve("nothing")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void only_the_configured_certificate_is_trusted() throws Exception {
        TestCertificate own = TestCertificate.make();
        TestCertificate other = TestCertificate.make();
        HttpsServer tls = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        tls.setHttpsConfigurator(new HttpsConfigurator(own.server()));
        tls.setExecutor(ForkJoinPool.commonPool());
        tls.createContext("/", this::serve);
        tls.start();
        try {
            URI uri = URI.create("https://127.0.0.1:" + tls.getAddress().getPort());
            assertThat(done(over(uri, own).info()).midPrice()).isEmpty();
            assertThatThrownBy(() -> done(over(uri, other).info())).isInstanceOf(PoolException.Unreachable.class);
        } finally {
            tls.stop(0);
        }
    }

    private HttpPool over(URI uri, TestCertificate trusted) throws IOException {
        Path pem = Files.writeString(folder.resolve("trusted.pem"), trusted.pem());
        return new HttpPool(
                peers.trustedBy(uri, PoolCertificate.trustOnly(pem)),
                PoolWords.DEFAULT,
                Duration.ofSeconds(10),
                ByteBudget.of(HttpPool.MOST_HELD),
                ForkJoinPool.commonPool());
    }
}
