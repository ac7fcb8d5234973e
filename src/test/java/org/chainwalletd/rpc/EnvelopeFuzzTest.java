package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.U32;
import org.junit.jupiter.api.Test;

/**
 * Hostile bodies at the dispatcher: it never throws, and answers with one of the few statuses and codes that a body alone can cause. A normal
 * build replays the corpus under {@code EnvelopeFuzzTestInputs} and some thousands of seeded mutations of it;
 * {@code JAZZER_FUZZ=1 mvn test -Djazzer.hooks=true -Dtest='EnvelopeFuzzTest#bodies'} searches for new inputs.
 */
class EnvelopeFuzzTest {
    private static final Set<Integer> CODES = Set.of(-32700, -32600, -32601, -32602);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    enum Kind {
        ONE,
        TWO_WORDS
    }

    record Item(Address to, Amount amount) {}

    record Params(
            Optional<Address> address,
            Optional<Amount> amount,
            @U32 OptionalLong index,
            Optional<Bytes> datum,
            Optional<SecretBytes> passphrase,
            Optional<SecretBytes> mnemonic,
            Optional<List<Item>> outputs,
            Optional<Kind> kind,
            @Alias("old_memo") Optional<String> memo,
            Optional<Boolean> force) {}

    private final RpcDispatcher dispatcher = TestMethods.dispatcher(
            CallObserver.NONE,
            TestMethods.method(
                    "bind", Scope.READ, Params.class, TestMethods.Text.class, (params, context) -> echo(params)));

    private static CompletionStage<TestMethods.Text> echo(Params params) {
        return CompletableFuture.completedFuture(
                new TestMethods.Text(params.memo().orElse("")));
    }

    @FuzzTest(maxDuration = "5m")
    void bodies(byte[] body) throws IOException {
        check(body);
    }

    @Test
    void mutations_of_good_and_bad_bodies_are_answered_too() throws IOException {
        long seed = 20261121;
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] body = mutated(SEEDS.get(random.nextInt(SEEDS.size())).getBytes(UTF_8), random);
            try {
                check(body);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " round " + round + ": " + new String(body, UTF_8), e);
            }
        }
    }

    private void check(byte[] body) throws IOException {
        RpcAnswer answer =
                Await.result(dispatcher.dispatch(body, Optional.of(Grant.of(Scope.SPEND)), Client.staying("fuzz")));
        if (answer.status() == 204) {
            assertThat(answer.body()).isEmpty();
            return;
        }
        assertThat(answer.status()).isIn(200, 400);
        JsonNode read = MAPPER.readTree(answer.body());
        if (read.isArray()) {
            assertThat(answer.status()).isEqualTo(200);
            assertThat(read).isNotEmpty().allSatisfy(EnvelopeFuzzTest::isAnswer);
        } else {
            isAnswer(read);
            int code = read.path("error").path("code").asInt();
            assertThat(answer.status()).isEqualTo(code == -32700 || code == -32600 ? 400 : 200);
        }
    }

    private static void isAnswer(JsonNode answer) {
        assertThat(answer.path("jsonrpc").textValue()).isEqualTo("2.0");
        assertThat(answer.has("id")).isTrue();
        assertThat(answer.has("result")).isNotEqualTo(answer.has("error"));
        if (answer.has("error")) {
            assertThat(CODES).contains(answer.get("error").get("code").intValue());
            assertThat(answer.get("error").get("message").textValue()).isNotBlank();
        }
    }

    private static byte[] mutated(byte[] body, Random random) {
        byte[] mutated = body.clone();
        for (int change = random.nextInt(4); change > 0; change--) {
            int at = random.nextInt(mutated.length);
            switch (random.nextInt(4)) {
                case 0 -> mutated[at] = (byte) random.nextInt(256);
                case 1 -> mutated[at] = (byte) INTERESTING.charAt(random.nextInt(INTERESTING.length()));
                case 2 -> mutated = without(mutated, at, 1 + random.nextInt(8));
                default -> mutated = doubled(mutated, at, 1 + random.nextInt(40));
            }
            if (mutated.length == 0) {
                return mutated;
            }
        }
        return mutated;
    }

    private static final String INTERESTING = "{}[]\",:\\0123456789eE+-.truefalsn \n\t\u007f";

    private static byte[] without(byte[] body, int at, int count) {
        int end = Math.min(body.length, at + count);
        byte[] shorter = new byte[body.length - (end - at)];
        System.arraycopy(body, 0, shorter, 0, at);
        System.arraycopy(body, end, shorter, at, body.length - end);
        return shorter;
    }

    private static byte[] doubled(byte[] body, int at, int count) {
        int end = Math.min(body.length, at + count);
        byte[] longer = new byte[body.length + (end - at)];
        System.arraycopy(body, 0, longer, 0, end);
        System.arraycopy(body, at, longer, end, body.length - at);
        return longer;
    }

    private static final List<String> SEEDS = List.of(
            "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
            "[{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"id\":null},5]",
            "{\"jsonrpc\":\"2.0\",\"method\":\"bind\",\"id\":-1.5e3,\"params\":{\"address\":\"" + "ab".repeat(32)
                    + "\",\"amount\":18446744073709551615,\"index\":4294967295,\"datum\":\"00ff\",\"kind\":\"two_words\","
                    + "\"passphrase\":\"gr\u00fc\\u00df\\ud83d\\ude00\",\"mnemonic\":[\"abandon\",\"about\"],\"memo\":\"\u20ac\",\"force\":true,"
                    + "\"outputs\":[{\"to\":\"" + "cd".repeat(32) + "\",\"amount\":0}]}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"bind\",\"id\":1180591620717411303424,\"params\":{\"old_memo\":\"x\",\"amount\":null}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"bind\",\"id\":{},\"params\":[1,[2,[3]]]}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"bind\",\"id\":0,\"params\":{\"amount\":1e999999999}}");
}
