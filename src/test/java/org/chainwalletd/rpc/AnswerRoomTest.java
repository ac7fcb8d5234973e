package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** Memory budget of answers. */
class AnswerRoomTest {
    private static final String RESULT = "\"result\":{\"text\":\"";
    private static final String LONG_TEXT = "\u00e9x".repeat(100_000);
    private static final int LONG_ANSWER = 300_000;
    private static final long BATCH = 1_000_000;

    private final AtomicInteger run = new AtomicInteger();
    private final CountedRoom room = new CountedRoom();
    private final RpcDispatcher dispatcher = new RpcDispatcher(
            MethodRegistry.of(
                    List.of(text("read_long", Scope.READ), text("act_long", Scope.SPEND), TestMethods.ping())),
            List.of(),
            CallObserver.NONE,
            new RpcDispatcher.Limits(1000, 4, 10, BATCH),
            TestMethods.EXECUTOR);

    private RpcMethod<NoParams, TestMethods.Text> text(String name, Scope scope) {
        return TestMethods.method(name, scope, NoParams.class, TestMethods.Text.class, (none, context) -> {
            run.incrementAndGet();
            return CompletableFuture.completedFuture(new TestMethods.Text(LONG_TEXT));
        });
    }

    private static final class CountedRoom implements AnswerRoom {
        private long most = Long.MAX_VALUE;
        private long held;

        @Override
        public synchronized boolean take(long bytes) {
            if (held + bytes > most) {
                return false;
            }
            held += bytes;
            return true;
        }

        @Override
        public synchronized void takeAnyway(long bytes) {
            held += bytes;
        }

        @Override
        public synchronized void giveBack(long bytes) {
            held -= bytes;
        }
    }

    private RpcAnswer call(String body) {
        return Await.result(dispatcher.dispatch(
                body.getBytes(StandardCharsets.UTF_8),
                Optional.of(Grant.of(Scope.SPEND)),
                new Client("c", new ClientPresence(), () -> {}, room)));
    }

    private static String item(String method, int id) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":" + id + "}";
    }

    private static String batch(String method, int items) {
        return IntStream.range(0, items).mapToObj(id -> item(method, id)).collect(Collectors.joining(",", "[", "]"));
    }

    private static String textOf(RpcAnswer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** Counts the results that contain the whole text. */
    private static int whole(String text) {
        int count = 0;
        for (int at = text.indexOf(RESULT); at >= 0; at = text.indexOf(RESULT, at + 1)) {
            assertThat(text.startsWith(LONG_TEXT + "\"}", at + RESULT.length())).isTrue();
            count++;
        }
        return count;
    }

    @Test
    void an_answer_takes_as_much_room_as_it_has_bytes() {
        RpcAnswer brief = call(item("ping", 1));
        assertThat(room.held).isEqualTo(brief.length());

        RpcAnswer longer = call(item("read_long", 2));
        assertThat(textOf(longer))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"result\":{\"text\":\"" + LONG_TEXT + "\"},\"id\":2}");
        assertThat(room.held).isEqualTo(brief.length() + longer.length());
        assertThat(longer.pieces())
                .hasSizeGreaterThan(1)
                .allSatisfy(piece -> assertThat(piece.length).isLessThanOrEqualTo(64 << 10));
    }

    @Test
    void a_read_that_finds_no_room_is_told_to_come_again_and_takes_none() {
        room.most = LONG_ANSWER - 1000;

        RpcAnswer refused = call(item("read_long", 7));

        assertThat(textOf(refused)).contains("\"code\":-32042", "\"retryable\":true", "\"id\":7");
        assertThat(refused.status()).isEqualTo(200);
        assertThat(room.held).isEqualTo(refused.length());
    }

    @Test
    void the_outcome_of_an_act_is_given_whatever_room_there_is() {
        room.most = 0;

        RpcAnswer answer = call(item("act_long", 1));

        assertThat(textOf(answer)).contains(LONG_TEXT);
        assertThat(room.held).isEqualTo(answer.length());
    }

    @Test
    void items_of_a_batch_whose_answers_are_too_long_together_are_refused_and_the_later_ones_not_begun() {
        RpcAnswer answer = call(batch("read_long", 1000));

        assertThat(answer.length()).isLessThan(BATCH + 1000 * 350);
        assertThat(room.held).isLessThan(BATCH + 1000 * 350);
        assertThat(run).as("items begun").hasValueLessThan(10);
        String text = textOf(answer);
        assertThat(whole(text)).as("answered").isEqualTo(3);
        assertThat(text.split("\"code\":-32042", -1)).as("refused").hasSize(998);
        assertThat(text).startsWith("[{").endsWith("}]").contains("},{");
    }

    @Test
    void acts_of_a_batch_that_have_begun_are_answered_and_no_further_one_is_begun() {
        String text = textOf(call(batch("act_long", 20)));

        assertThat(whole(text)).isEqualTo(run.get());
        assertThat(text.split("\"code\":-32042", -1)).hasSize(20 - run.get() + 1);
        assertThat(run).hasValueLessThan(10);
    }

    @Test
    void a_batch_of_brief_answers_is_answered_whole() {
        String text = textOf(call(batch("ping", 1000)));

        assertThat(text)
                .isEqualTo(IntStream.range(0, 1000)
                        .mapToObj(id -> "{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":" + id + "}")
                        .collect(Collectors.joining(",", "[", "]")));
    }
}
