package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.BufferRecycler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Scope;
import org.chainwalletd.crypto.SecretBytes;
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
