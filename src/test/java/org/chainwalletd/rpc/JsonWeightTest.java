package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.RetainedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parsed form of a request counts against the budget like its text. */
class JsonWeightTest {
    private static final int NODES = 20_000;
    /** A small request takes nothing from the budget. */
    private static final long FREE = 4096;

    /** Budget of a fixed size that counts. */
    private static final class Room implements AnswerRoom {
        private final AtomicLong held = new AtomicLong();
        private final long most;

        Room(long most) {
            this.most = most;
        }

        @Override
        public boolean take(long bytes) {
            if (held.get() + bytes > most) {
                return false;
            }
            held.addAndGet(bytes);
            return true;
        }

        @Override
        public void takeAnyway(long bytes) {
            held.addAndGet(bytes);
        }

        @Override
        public void giveBack(long bytes) {
            held.addAndGet(-bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "[[[[[[[[]]]]]]]]",
                "{\"a\":0}",
                "{\"a\":0,\"b\":{\"c\":[1]}}",
                "0",
                "12345678901234567890",
                "-1.5e-300",
                "\"\"",
                "\"sixteen letters!\"",
                "true",
                "[1,[2,[3,{\"d\":null}]]]"
            })
    void what_is_kept_of_a_text_weighs_no_more_than_was_counted(String item) {
        Room room = new Room(Long.MAX_VALUE);
        String params = "[" + (item + ",").repeat(NODES - 1) + item + "]";

        Envelope.Single read = (Envelope.Single) new RequestReader(1).read(body("any", params), room);

        long kept = RetainedBytes.of(read.envelope().params());
        assertThat(kept).isLessThanOrEqualTo(room.held.get() + FREE);
        assertThat(room.held.get()).as("no more than a few times as much").isLessThan(4 * kept + (32 << 10));
    }

    @Test
    void a_text_that_would_become_more_than_there_is_room_for_is_refused_while_it_is_read_and_can_come_again() {
        Room room = new Room(64 << 10);
        AtomicInteger begun = new AtomicInteger();
        RpcDispatcher dispatcher = TestMethods.dispatcher(CallObserver.NONE, counting(begun));
        String params = "{\"x\":[" + "[],".repeat(NODES) + "[]]}";

        String refused = call(dispatcher, body("count", params), room);

        assertThat(refused).contains("\"code\":-32042", "\"retryable\":true");
        assertThat(begun).hasValue(0);
        assertThat(room.held.get()).as("with the refusal").isLessThan((64 << 10) + 512);
        assertThat(call(dispatcher, body("count", "{}"), new Room(1000))).contains("\"ok\":true");
    }

    @Test
    void a_fault_around_one_item_of_a_batch_is_its_answer_and_keeps_nobody_waiting() {
        CallObserver broken = new CallObserver() {
            @Override
            public void ended(CallContext context, CallObserver.CallOutcome outcome) {
                if (outcome.method().startsWith("count")) {
                    throw new IllegalStateException("broken on purpose");
                }
            }
        };
        RpcDispatcher dispatcher = TestMethods.dispatcher(
                broken,
                counting(new AtomicInteger()),
                TestMethods.method(
                        "count_later",
                        Scope.READ,
                        NoParams.class,
                        TestMethods.Ok.class,
                        (none, context) ->
                                CompletableFuture.supplyAsync(() -> new TestMethods.Ok(true), TestMethods.EXECUTOR)));
        String batch = "[" + text("count", "{}") + "," + text("count_later", "{}") + "," + text("ping", "{}") + "]";

        String answer = call(dispatcher, batch.getBytes(UTF_8), AnswerRoom.BOUNDLESS);

        assertThat(answer.split("\"code\":-32603", -1)).hasSize(3);
        assertThat(answer).contains("\"ok\":true").doesNotContain("on purpose");
    }

    private static RpcMethod<NoParams, TestMethods.Ok> counting(AtomicInteger begun) {
        return TestMethods.method("count", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
            begun.incrementAndGet();
            return CompletableFuture.completedFuture(new TestMethods.Ok(true));
        });
    }

    private static String call(RpcDispatcher dispatcher, byte[] body, AnswerRoom room) {
        RpcAnswer answer = Await.result(dispatcher.dispatch(
                body, Optional.of(Grant.of(Scope.READ)), new Client("c", new ClientPresence(), () -> {}, room)));
        return new String(answer.body(), UTF_8);
    }

    private static byte[] body(String method, String params) {
        return text(method, params).getBytes(UTF_8);
    }

    private static String text(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":1,\"params\":" + params + "}";
    }
}
