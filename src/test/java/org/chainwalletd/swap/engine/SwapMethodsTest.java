package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.access.Grant;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings.EvmWords;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.KeyringErrors;
import org.chainwalletd.rpc.method.SwapErrors;
import org.chainwalletd.rpc.method.SwapMethods;
import org.chainwalletd.rpc.method.SwapWords;
import org.chainwalletd.rpc.method.UpstreamErrors;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.legs.SwapClocks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.PlainEvmKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The engine's methods as seen by a caller: quotes of a running pool, an account chain that answers, a journal on disk, and legs controlled by the
 * test.
 */
@Tag("long")
@Timeout(120)
public class SwapMethodsTest {
    private volatile Optional<String> unverified = Optional.empty();
    private static final ChainProfile CHAIN = ChainProfile.of("chain");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Executor EXECUTOR = ForkJoinPool.commonPool();

    @TempDir
    Path folder;

    private final HostilePool conduct = new HostilePool();
    private final PlainEvmKeys evmKeys = new PlainEvmKeys();
    private final SwapBook book = new SwapBook();
    private final List<SwapRow> told = new ArrayList<>();
    private final StandingLegs legs = new StandingLegs();
    private TwoChains chains;
    private ActorTestKit kit;
    private SqliteStore store;
    private SealedRecords seals;
    private EvmAddress ours;
    private SwapWords words = SwapWords.of(CHAIN, EvmWords.DEFAULT);
    private RpcDispatcher methods;

    /** A lock that is lost on its way fails with a busy store. */
    private static final class StandingLegs extends ShownLegs {
        private volatile boolean loses;

        void see(OwnLock own, LockPermission permission, boolean due) {
            lock = own;
            this.permission = permission;
            refundDue = due;
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            return loses
                    ? CompletableFuture.failedFuture(
                            new StoreException(StoreException.Reason.BUSY, "too many writes wait", null))
                    : super.sendLock(row, mayBegin);
        }
    }

    @BeforeEach
    void start() {
        chains = TwoChains.start(conduct);
        kit = ActorTestKit.create();
        store = SqliteStore.open(folder);
        seals = TestSeals.of(Optional.empty());
        byte[] secret = new byte[32];
        secret[0] = 7;
        ours = evmKeys.add(SecretBytes.takeOver(secret));
        methods = methods();
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
        store.close();
        chains.close();
    }

    private RpcDispatcher methods() {
        return methods(endpoints(2));
    }

    private RpcDispatcher methods(AccountChain endpoints) {
        SwapJournal journal = EngineCalls.journal(store.swaps(), seals);
        SwapNews news = new SwapNews(book, new SimpleMeterRegistry(), row -> {
            synchronized (told) {
                told.add(row);
            }
        });
        StalledSwaps stalled = new StalledSwaps();
        Supplier<OptionalLong> height =
                () -> tip().map(at -> OptionalLong.of(at.height())).orElseThrow();
        ActorRef<SwapEngine.Command> engine = kit.spawn(SwapEngine.create(
                Copies.with(
                        EngineCalls.setup(journal, legs, "run-1", chains.clock(), Duration.ofMillis(50)),
                        "tip",
                        height,
                        "book",
                        book,
                        "changed",
                        news),
                stalled));
        Quoting quoting = new Quoting(
                new QuoteBinding(limits(), key -> false),
                EngineCalls.pool(kit, chains, EXECUTOR),
                endpoints,
                address -> CompletableFuture.completedFuture(Optional.of(Sample.OUR_KEY)
                        .filter(key -> CHAIN.addressOf(key).equals(address))),
                evmKeys,
                new SwapClocks(endpoints, this::tip, chains.clock(), EXECUTOR),
                journal,
                book,
                "run-1",
                new SecureRandom(),
                EXECUTOR);
        SwapService service = new SwapService(engine, quoting, journal, stalled, news, EXECUTOR);
        List<ErrorTranslator> known = List.of(new UpstreamErrors(), new KeyringErrors(folder));
        return new RpcDispatcher(
                MethodRegistry.of(SwapMethods.all(Optional.of(service), () -> unverified, words, EXECUTOR)),
                List.of(known.get(0), known.get(1), new SwapErrors(known)),
                CallObserver.NONE,
                new RpcDispatcher.Limits(10, 2, 10),
                EXECUTOR);
    }

    private Optional<FollowedTip> tip() {
        return Optional.of(new FollowedTip(
                new BlockPlace(
                        chains.chain().tip().height(), chains.chain().tip().id()),
                chains.clock().instant().getEpochSecond()));
    }

    private AccountChain endpoints(int quorum) {
        return AccountRig.client(
                kit,
                EXECUTOR,
                quorum,
                Duration.ofSeconds(5),
                chains.evm().uri(),
                chains.evm().newEndpoint().uri());
    }

    private SwapLimits limits() {
        return Sample.limits(
                new SwapLimits.Contract(Sample.CHAIN_ID, chains.evm().contract(), Sample.CODE),
                Sample.limits().development());
    }

    private JsonNode answer(String method, Map<String, ?> params) {
        try {
            ObjectNode request =
                    JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", method);
            request.set("params", JSON.valueToTree(params));
            byte[] body = Await.result(methods.dispatch(
                            request.toString().getBytes(StandardCharsets.UTF_8),
                            Optional.of(Grant.of(Scope.SPEND)),
                            Client.staying("127.0.0.1")))
                    .body();
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String status(String method, String swap) {
        return call(method, id(swap)).get("status").textValue();
    }

    private JsonNode call(String method, Map<String, ?> params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.has("error")).as("%s", answer).isFalse();
        return answer.get("result");
    }

    private String refused(int code, String method, Map<String, ?> params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.path("error").path("code").intValue())
                .as("%s %s: %s", method, params, answer)
                .isEqualTo(code);
        return answer.path("error").path("message").textValue();
    }

    private static Map<String, Object> sell(String... more) {
        return asked("chain_to_native", "12", more);
    }

    private static Map<String, Object> asked(String direction, String amount, String... more) {
        Map<String, Object> params = new LinkedHashMap<>(Map.of(
                "direction",
                direction,
                "amount_in",
                amount,
                "from",
                CHAIN.addressOf(Sample.OUR_KEY).hex()));
        for (int i = 0; i < more.length; i += 2) {
            params.put(more[i], more[i + 1]);
        }
        return params;
    }

    private String quote() {
        return call("swap_get_quote", sell()).get("swap_id").textValue();
    }

    private static Map<String, String> id(String swapId) {
        return Map.of("swap_id", swapId);
    }

    /** A single endpoint is contradicted by none, whatever it reports. */
    @Test
    void a_quote_says_when_a_single_endpoint_is_trusted_with_the_whole_amount_and_no_other_answer_does() {
        assertThat(call("swap_get_quote", sell()).has("warning")).isFalse();
        methods = methods(endpoints(1));

        JsonNode quote = call("swap_get_quote", sell());

        assertThat(quote.get("warning").textValue())
                .contains("--evm-quorum 1")
                .contains("single")
                .contains("whole amount");
        assertThat(call("swap_status", id(quote.get("swap_id").textValue())).has("warning"))
                .isFalse();
    }

    @Test
    void a_quote_is_bound_told_and_listed_and_its_secret_is_nowhere() {
        JsonNode sell = call("swap_get_quote", sell("min_amount_out", "0.5"));
        assertThat(sell.get("swap_id").textValue()).matches("[0-9a-f]{32}");
        assertThat(sell.get("status").textValue()).isEqualTo("quoted");
        assertThat(sell.get("direction").textValue()).isEqualTo("chain_to_native");
        assertThat(sell.get("hashlock").textValue()).matches("[0-9a-f]{64}");
        assertThat(sell.get("amount_in_units").textValue()).isEqualTo("1200000000");
        assertThat(sell.get("amount_out_units").isTextual()).isTrue();
        assertThat(sell.get("our_chain_address").textValue())
                .isEqualTo(CHAIN.addressOf(Sample.OUR_KEY).hex());
        assertThat(sell.get("our_evm_address").textValue()).isEqualTo(ours.toString());
        assertThat(sell.get("pool_chain_pubkey").textValue())
                .isEqualTo(chains.pool().chainKey().hex());
        assertThat(sell.get("chain_timeout_height").isIntegralNumber()).isTrue();
        assertThat(sell.has("evm_timeout_sec")).isFalse();
        assertThat(sell.has("user_lock_tx")).isFalse();
        assertThat(sell.get("created_at")).isEqualTo(sell.get("updated_at"));
        assertThat(sell.toString()).doesNotContainIgnoringCase("secret").doesNotContainIgnoringCase("preimage");

        JsonNode buy = call("swap_get_quote", asked("native_to_chain", "0.5"));
        assertThat(buy.get("pool_evm_address").textValue())
                .isEqualTo(chains.pool().evmAddress().toString());
        assertThat(buy.get("evm_timeout_sec").isIntegralNumber()).isTrue();
        assertThat(buy.has("chain_timeout_height")).isFalse();
        assertThat(buy.has("pool_chain_pubkey")).isFalse();

        JsonNode all = call("swap_list", Map.of());
        assertThat(all.get("swaps")).containsExactly(buy, sell);
        assertThat(all.has("next_cursor")).isFalse();
        assertThat(call("swap_status", id(sell.get("swap_id").textValue()))).isEqualTo(sell);
        assertThat(told).hasSize(2);
        assertThat(book.needing(ours)).isPresent();
    }

    @Test
    void what_speaks_against_a_quote_is_reported_and_no_quote_is_left() {
        assertThat(refused(-32602, "swap_get_quote", sell("min_amount_out", "1000")))
                .contains("less than min_amount_out 1000");
        String stranger = "ab".repeat(32);
        assertThat(refused(-32010, "swap_get_quote", sell("from", stranger))).contains(stranger);
        for (Map<String, Object> wrong : List.of(
                sell("direction", "sell"),
                sell("amount_in", "0"),
                sell("amount_in", "-1"),
                sell("amount_in", "1e3"),
                sell("amount_in", "0.000000001"),
                sell("amount_in", "9".repeat(60)),
                sell("min_amount_out", "0.0000000000000000001"),
                sell("min_amount_out", "x"))) {
            refused(-32602, "swap_get_quote", wrong);
        }
        chains.evm().endpoint().down();
        refused(-32020, "swap_get_quote", sell());
        chains.evm().endpoint().up();
        chains.pool().close();
        refused(-32020, "swap_get_quote", sell());
        assertThat(call("swap_list", Map.of()).get("swaps")).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void garbage_of_the_pool_in_any_field_is_refused_and_leaves_nothing() {
        List<JsonNode> garbage = List.of(
                JsonNodeFactory.instance.nullNode(),
                JsonNodeFactory.instance.numberNode(-1),
                TextNode.valueOf("1e400%"),
                TextNode.valueOf("../" + "x".repeat(300)),
                JsonNodeFactory.instance.arrayNode(),
                JsonNodeFactory.instance.objectNode().put("x", true));
        for (String direction : List.of("chain_to_native", "native_to_chain")) {
            String leg = direction.startsWith("chain") ? "chain" : "evm";
            List<String> fields = new ArrayList<>(List.of(
                    "swapId",
                    "amountIn",
                    "amountOut",
                    "amountInUnits",
                    "amountOutUnits",
                    "expiresAt",
                    "feeBps",
                    "instructions"));
            fields.addAll(
                    leg.equals("chain")
                            ? List.of("chain.receiverPubkey", "chain.timeoutHeight")
                            : List.of("evm.htlcContract", "evm.recipient", "evm.timeoutSec"));
            for (String field : fields) {
                for (JsonNode value : garbage) {
                    conduct.misquotes(quote -> put(quote, field, value));
                    JsonNode error =
                            answer("swap_get_quote", asked(direction, "0.5")).path("error");
                    assertThat(error.path("code").intValue())
                            .as("%s %s = %s: %s", direction, field, value, error)
                            .isIn(-32602, -32020);
                }
            }
        }
        assertThat(call("swap_list", Map.of()).get("swaps")).isEmpty();
    }

    private static void put(ObjectNode quote, String field, JsonNode value) {
        String[] path = field.split("\\.");
        ObjectNode holder = path.length == 1
                ? quote
                : (ObjectNode) quote.path("instructions").path(path[0]);
        holder.set(path[path.length - 1], value);
    }

    @Test
    void an_id_that_the_pool_gave_before_is_refused() {
        conduct.repeatsId();
        quote();
        assertThat(refused(-32602, "swap_get_quote", sell())).contains("earlier swap");
    }

    @Test
    void two_calls_at_once_and_a_repetition_lock_once() {
        String swap = quote();
        List<CompletableFuture<JsonNode>> both = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            both.add(CompletableFuture.supplyAsync(() -> call("swap_execute", id(swap)), EXECUTOR));
        }
        for (CompletableFuture<JsonNode> one : both) {
            assertThat(Await.result(one).get("status").textValue()).isIn("locking", "user_locked");
        }
        assertThat(call("swap_execute", id(swap)).get("user_lock_tx").textValue())
                .isEqualTo("lock");
        assertThat(legs.locks).hasValue(1);
        assertThat(book.needingGas(ours)).isEqualTo(1);
    }

    @Test
    void what_speaks_against_a_lock_is_reported_and_nothing_is_sent() {
        String swap = quote();
        legs.see(new OwnLock.Absent(), new LockPermission.Refused("the slot is taken"), false);
        assertThat(refused(-32602, "swap_execute", id(swap))).contains("the slot is taken");
        legs.see(new OwnLock.Absent(), new LockPermission.Granted(), false);
        assertThat(refused(-32602, "swap_execute", Map.of("swap_id", swap, "min_amount_out", "999")))
                .contains("min_amount_out");
        assertThat(refused(-32602, "swap_execute", Map.of("swap_id", swap, "min_amount_out", "0." + "1".repeat(19))))
                .contains("decimals");
        assertThat(legs.locks).hasValue(0);
        assertThat(status("swap_status", swap)).isEqualTo("quoted");
    }

    @Test
    void nothing_is_locked_while_the_chain_is_not_known_to_be_the_operators() {
        String swap = quote();
        unverified = Optional.of("no --expect-genesis names the chain");
        assertThat(refused(-32020, "swap_execute", id(swap))).contains("nothing was locked", "--expect-genesis");
        assertThat(legs.locks).hasValue(0);
        assertThat(status("swap_status", swap)).isEqualTo("quoted");
        unverified = Optional.empty();
        assertThat(status("swap_execute", swap)).isEqualTo("locking");
    }

    @Test
    void a_lock_whose_sending_fails_is_reported_as_not_known_and_leaves_by_itself() {
        String swap = quote();
        legs.loses = true;
        JsonNode error = answer("swap_execute", id(swap)).path("error");
        assertThat(error.path("code").intValue()).as("%s", error).isEqualTo(-32020);
        assertThat(error.path("message").textValue())
                .contains("not known", "swap_status")
                .doesNotContain("nothing");
        assertThat(error.path("data").path("retryable").booleanValue()).isTrue();
        assertThat(status("swap_execute", swap)).isEqualTo("locking");
        legs.loses = false;
        Await.until("it leaves", () -> status("swap_status", swap).equals("user_locked"));
    }

    @Test
    void a_refund_comes_when_it_is_due_and_says_before_that_it_is_not() {
        String swap = quote();
        assertThat(refused(-32602, "swap_refund", id(swap))).contains("no lock of ours");
        call("swap_execute", id(swap));
        assertThat(refused(-32037, "swap_refund", id(swap))).contains("by itself");
        assertThat(legs.refunds).hasValue(0);
        legs.see(ShownLegs.LOCKED, LockPermission.NOT_ASKED, true);
        assertThat(status("swap_refund", swap)).isEqualTo("refunding");
        legs.see(new OwnLock.TakenBack("lock:0", "refund", true), LockPermission.NOT_ASKED, true);
        Await.until("it is over", () -> status("swap_status", swap).equals("refunded"));
        refused(-32602, "swap_refund", id(swap));
        assertThat(book.needing(ours)).isEmpty();
        assertThat(call("swap_list", Map.of("state", "refunded")).get("swaps")).hasSize(1);
        assertThat(call("swap_list", Map.of("state", "quoted")).get("swaps")).isEmpty();
    }

    @Test
    void pages_of_the_journal_have_each_swap_once_newest_first() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(0, quote());
        }
        List<String> seen = new ArrayList<>();
        Map<String, Object> page = new HashMap<>(Map.of("limit", 2));
        for (int i = 0; i < 3; i++) {
            JsonNode answer = call("swap_list", page);
            answer.get("swaps").forEach(swap -> seen.add(swap.get("swap_id").textValue()));
            page.put("cursor", answer.path("next_cursor").asText());
            assertThat(answer.has("next_cursor")).isEqualTo(i < 2);
        }
        assertThat(seen).isEqualTo(ids);
        for (String cursor : List.of("", "x", "-1", "0", "1.5", "9".repeat(30), "1 or 1=1")) {
            refused(-32602, "swap_list", Map.of("cursor", cursor));
        }
        refused(-32602, "swap_list", Map.of("limit", 0));
        refused(-32602, "swap_list", Map.of("limit", 1_001));
        assertThat(refused(-32602, "swap_list", Map.of("state", "open"))).contains("user_locked");
    }

    @Test
    void ids_that_no_quote_gave_are_refused_without_being_repeated_at_length() {
        for (String method : List.of("swap_execute", "swap_refund", "swap_status")) {
            assertThat(refused(-32602, method, id("0".repeat(32)))).contains("no swap");
            assertThat(refused(-32602, method, id("'; DROP TABLE swaps; --" + "x".repeat(10_000))))
                    .hasSizeLessThan(200);
        }
    }

    @Test
    void a_brand_has_its_words_and_the_usual_ones_are_read_too() {
        words = SwapWords.of(ChainProfile.of("alpha"), new EvmWords("beta", "gamma"));
        methods = methods();
        for (String direction : List.of("chain_to_native", "alpha_to_gamma")) {
            JsonNode swap = call("swap_get_quote", asked(direction, "12"));
            assertThat(swap.get("direction").textValue()).isEqualTo("alpha_to_gamma");
            assertThat(swap.has("our_alpha_address")).isTrue();
            assertThat(swap.has("our_beta_address")).isTrue();
            assertThat(swap.has("pool_alpha_pubkey")).isTrue();
            assertThat(swap.has("alpha_timeout_height")).isTrue();
            assertThat(swap.toString()).doesNotContain("chain_", "evm_");
        }
        assertThat(refused(-32602, "swap_get_quote", asked("gamma_to_chain", "12")))
                .contains("gamma_to_alpha");
    }

    @Test
    void a_hash_lock_is_of_a_secret_that_was_never_used() {
        assertThat(call("swap_get_quote", sell()).get("hashlock"))
                .isNotEqualTo(call("swap_get_quote", sell()).get("hashlock"));
        assertThat(told).extracting(row -> row.terms().hashLock()).doesNotHaveDuplicates();
        assertThat(told.get(0).terms().hashLock()).isNotEqualTo(Hash256.ZERO);
    }
}
