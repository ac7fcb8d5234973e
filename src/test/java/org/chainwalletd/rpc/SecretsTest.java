package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.BufferRecycler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.wire.WipedBuffers;
import org.junit.jupiter.api.Test;

/** Secrets in requests and results leave no trace in the memory that this package controls. */
class SecretsTest {
    private static final String SECRET = "correct horse battery staple";

    record Params(SecretBytes passphrase) {}

    record Revealed(SecretBytes secretHex) {}

    private final List<SecretBytes> bound = new ArrayList<>();
    private final List<SecretBytes> revealed = new ArrayList<>();
    private final RpcDispatcher dispatcher = TestMethods.dispatcher(
            CallObserver.NONE,
            TestMethods.method("reveal", Scope.READ, Params.class, Revealed.class, (params, context) -> {
                bound.add(params.passphrase());
                SecretBytes secret = params.passphrase().duplicate();
                revealed.add(secret);
                return CompletableFuture.completedFuture(new Revealed(secret));
            }));

    private static byte[] request(String rest) {
        return ("{\"jsonrpc\":\"2.0\",\"method\":\"reveal\",\"params\":{\"passphrase\":\"" + SECRET + "\"}" + rest)
                .getBytes(UTF_8);
    }

    private String answer(byte[] body) {
        return new String(
                TestMethods.answer(dispatcher, Optional.of(Scope.READ), body).body(), UTF_8);
    }

    /** Checking the first characters suffices: the rest of a word may be overwritten by the next text. */
    private static void buffersAreClean() {
        BufferRecycler buffers = new WipedBuffers.Pool().acquirePooled();
        for (int index = 0; index < 4; index++) {
            assertThat(new String(buffers.allocByteBuffer(index), ISO_8859_1)).doesNotContain("horse");
            assertThat(new String(buffers.allocCharBuffer(index))).doesNotContain("horse");
        }
    }

    @Test
    void an_answered_secret_is_overwritten_everywhere_but_in_the_answer() {
        byte[] body = request(",\"id\":1}");
        assertThat(answer(body)).contains(SECRET);
        assertThat(body).containsOnly(0);
        assertThat(new String(bound.get(0).copy(), UTF_8)).isEqualTo(SECRET);
        assertThat(revealed.get(0).isClosed()).isTrue();
        buffersAreClean();
    }

    @Test
    void what_a_notification_reveals_is_overwritten_too() {
        byte[] body = request("}");
        assertThat(answer(body)).isEmpty();
        assertThat(body).containsOnly(0);
        assertThat(revealed.get(0).isClosed()).isTrue();
        buffersAreClean();
    }

    @Test
    void a_secret_is_overwritten_and_not_answered_when_the_token_has_ended_meanwhile() {
        CompletableFuture<Revealed> revealing = new CompletableFuture<>();
        CompletableFuture<Revealed> creating = new CompletableFuture<>();
        CompletableFuture<Revealed> failing = new CompletableFuture<>();
        RpcDispatcher slow = TestMethods.dispatcher(
                CallObserver.NONE,
                TestMethods.method(
                        "reveal_it", Scope.READ, NoParams.class, Revealed.class, (none, context) -> revealing),
                TestMethods.method(
                        "evm_create_address", Scope.READ, NoParams.class, Revealed.class, (none, context) -> creating),
                TestMethods.method(
                        "reveal_no", Scope.READ, NoParams.class, Revealed.class, (none, context) -> failing));
        Grant worker = Grants.of(Scope.READ, NamedToken.Policy.NONE);
        List<CompletionStage<RpcAnswer>> answers = Stream.of("reveal_it", "evm_create_address", "reveal_no")
                .map(method -> slow.dispatch(
                        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\"}").getBytes(UTF_8),
                        Optional.of(worker),
                        Client.staying("127.0.0.1")))
                .toList();
        Grants.end(worker);
        SecretBytes secret = SecretBytes.takeOver(SECRET.getBytes(UTF_8));
        SecretBytes words = SecretBytes.takeOver(SECRET.getBytes(UTF_8));
        revealing.complete(new Revealed(secret));
        creating.complete(new Revealed(words));
        failing.completeExceptionally(RefusedException.invalidParams("the guess is wrong"));

        for (CompletionStage<RpcAnswer> answer : answers) {
            RpcAnswer refused = Await.result(answer);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(new String(refused.body(), UTF_8)).contains("-32001", "authentication required");
        }
        assertThat(secret.isClosed()).isTrue();
        assertThat(words.isClosed()).isTrue();
        buffersAreClean();
    }

    @Test
    void a_refused_body_keeps_no_secret() {
        for (String rest : List.of(",\"id\":1", ",\"id\":1,\"id\":2}", ",\"id\":1}}", ",\"id\":\"\\ud800\"}")) {
            byte[] body = request(rest);
            assertThat(answer(body)).contains("-32700").doesNotContain("horse");
            assertThat(body).containsOnly(0);
            buffersAreClean();
        }
        assertThat(bound).isEmpty();
    }

    @Test
    void a_long_secret_takes_more_than_one_buffer() {
        String longSecret = "horse ".repeat(20_000);
        byte[] body = ("{\"jsonrpc\":\"2.0\",\"method\":\"reveal\",\"id\":1,\"params\":{\"passphrase\":\"" + longSecret
                        + "\"}}")
                .getBytes(UTF_8);
        assertThat(answer(body)).contains(longSecret);
        assertThat(body).containsOnly(0);
        buffersAreClean();
    }
}
