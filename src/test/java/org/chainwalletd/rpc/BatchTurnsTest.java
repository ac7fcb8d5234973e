package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** A batch whose items take so long that its lanes yield and wait for their turn behind the work of others. */
class BatchTurnsTest {
    private static final int ITEMS = 12;
    private static final int LONGER_THAN_A_TURN_MILLIS = 3;

    private final RpcDispatcher dispatcher = TestMethods.dispatcher(
            CallObserver.NONE,
            TestMethods.method("work", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
                Await.pause(LONGER_THAN_A_TURN_MILLIS);
                return CompletableFuture.completedFuture(new TestMethods.Ok(true));
            }));
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final Client client =
            new Client("127.0.0.1", new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS, waiting::add, () -> {});

    private CompletableFuture<RpcAnswer> dispatch() {
        String item = "{\"jsonrpc\":\"2.0\",\"method\":\"work\",\"id\":1}";
        byte[] batch = ("[" + String.join(",", Collections.nCopies(ITEMS, item)) + "]").getBytes(UTF_8);
        return dispatcher
                .dispatch(batch, Optional.of(Grant.of(Scope.READ)), client)
                .toCompletableFuture();
    }

    /** A separate method, so that no reference is left on the stack. */
    private WeakReference<RpcAnswer> answered() {
        CompletableFuture<RpcAnswer> answer = dispatch();
        while (!answer.isDone()) {
            waiting.remove().run();
        }
        assertThat(new String(Await.result(answer).body(), UTF_8).split("\"ok\":true", -1))
                .hasSize(ITEMS + 1);
        return new WeakReference<>(Await.result(answer));
    }

    /** The batch's budget is returned when its answer is written: anything still waiting for its turn would use memory that is not counted. */
    @Test
    void an_answer_that_is_given_out_is_not_kept_by_lanes_of_its_batch_that_wait_for_their_turn() {
        WeakReference<RpcAnswer> answer = answered();
        assertThat(waiting).as("lanes that still wait").isNotEmpty();

        Await.until("the answer is garbage", () -> {
            System.gc();
            return answer.get() == null;
        });
        assertThat(waiting).as("lanes that still wait").isNotEmpty();

        waiting.forEach(Runnable::run);
    }
}
