package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Method;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpcDispatcherTest {
    record Broadcast(Hash256 txId) {}

    private final AtomicInteger executed = new AtomicInteger();
    private final List<CallObserver.CallOutcome> outcomes = new ArrayList<>();
    private final RpcDispatcher dispatcher = TestMethods.dispatcher(
            new CallObserver() {
                @Override
                public void ended(CallContext context, CallObserver.CallOutcome outcome) {
                    outcomes.add(outcome);
                }

                @Override
                public void refused(CallContext context, CallObserver.CallOutcome outcome) {
                    outcomes.add(outcome);
                }
            },
            count(),
            TestMethods.method("crash", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
                throw new IllegalStateException("secret detail");
            }),
            TestMethods.method(
                    "crash_later",
                    Scope.READ,
                    NoParams.class,
                    TestMethods.Ok.class,
                    (none, context) -> CompletableFuture.supplyAsync(
                            () -> {
                                throw new IllegalStateException("secret detail");
                            },
                            TestMethods.EXECUTOR)),
            TestMethods.method(
                    "broadcast",
                    Scope.SPEND,
                    NoParams.class,
                    Broadcast.class,
                    (none, context) -> CompletableFuture.completedFuture(new Broadcast(Hash256.ZERO))));

    private RpcMethod<NoParams, TestMethods.Ok> count() {
        return TestMethods.method("count", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
            executed.incrementAndGet();
            return CompletableFuture.completedFuture(new TestMethods.Ok(true));
        });
    }

    private String call(String body) {
        return call(Optional.of(Scope.READ), body);
    }

    private String call(Optional<Scope> scope, String body) {
        RpcAnswer answer = TestMethods.answer(dispatcher, scope, body.getBytes(UTF_8));
        return answer.status() + " " + new String(answer.body(), UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"params\":null", ",\"params\":{}", ",\"params\":[]"})
    void absent_null_and_empty_params_mean_the_same(String params) {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"" + params + ",\"id\":1}"))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "-1",
                "0",
                "1180591620717411303424",
                "1.5",
                "1.50",
                "1e400",
                "-0",
                "\"x\"",
                "\"\"",
                "null",
                "\"\u00e4\\n\\\"\\u0000\""
            })
    void an_id_comes_back_exactly_as_it_was_written(String id) {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":" + id + "}"))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":" + id + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "true", "false", "[1]", "{\"a\":[{}]}"})
    void an_id_of_another_type_is_an_invalid_request_with_a_null_id(String id) {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":" + id + "}"))
                .startsWith("400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,")
                .endsWith(",\"id\":null}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"jsonrpc\":\"1.0\",\"method\":\"ping\",\"id\":7}|7",
                "{\"jsonrpc\":2.0,\"method\":\"ping\",\"id\":7}|7",
                "{\"method\":\"ping\",\"id\":7}|7",
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\"}|\"a\"",
                "{\"jsonrpc\":\"2.0\",\"method\":5,\"id\":7}|7",
                "{\"jsonrpc\":\"2.0\",\"method\":null,\"id\":7}|7",
                "{}|null",
                "5|null",
                "\"ping\"|null",
                "null|null",
                "[]|null",
            })
    void a_wrong_envelope_is_an_invalid_request(String body, String id) {
        assertThat(call(body))
                .startsWith("400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"invalid request: ")
                .endsWith(",\"id\":" + id + "}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "",
                " ",
                "{\"jsonrpc\":\"2.0\"",
                "{} {}",
                "[]]",
                "{\"id\":01}",
                "{\"id\":NaN}",
                "{'id':1}",
                "[1,]",
                "{\"id\":1,}",
                "// x\n{}",
                "\uFEFF{}",
                "{\"id\":1,\"id\":1}",
                "{\"id\":\"\\ud800\"}",
                "{\"params\":{\"a\":{\"b\":1,\"b\":2}}}",
                "nul"
            })
    void what_is_not_strict_json_is_a_parse_error(String body) {
        assertThat(call(body))
                .startsWith("400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"parse error: ")
                .endsWith(",\"id\":null}");
    }

    @Test
    void malformed_utf8_is_a_parse_error() {
        byte[] body = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"?\"}".getBytes(UTF_8);
        body[body.length - 3] = (byte) 0xC0;
        RpcAnswer answer = TestMethods.answer(dispatcher, Optional.of(Scope.READ), body);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(new String(answer.body(), UTF_8)).contains("-32700");
    }

    @Test
    void deep_nesting_and_long_numbers_are_refused() {
        String deep = "[".repeat(100_000);
        assertThat(call(deep)).startsWith("400 ").contains("-32700");
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":" + "9".repeat(100_000) + "}"))
                .startsWith("400 ")
                .contains("-32700");
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{\"x\":1e99999999999},\"id\":1}"))
                .startsWith("400 ")
                .contains("-32700");
    }

    @Test
    void positional_params_are_invalid_params() {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":[1],\"id\":1}"))
                .startsWith("200 ")
                .contains("-32602");
    }

    @Test
    void a_notification_is_executed_and_never_answered() {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"count\"}")).isEqualTo("204 ");
        assertThat(executed).hasValue(1);
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}")).isEqualTo("204 ");
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"crash\"}")).isEqualTo("204 ");
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"broadcast\"}")).isEqualTo("204 ");
        assertThat(call("[{\"jsonrpc\":\"2.0\",\"method\":\"count\"},{\"jsonrpc\":\"2.0\",\"method\":\"count\"}]"))
                .isEqualTo("204 ");
        assertThat(executed).hasValue(3);
    }

    @Test
    void each_call_beyond_the_scope_is_told_to_whoever_counts_failed_logins_also_when_it_is_not_answered() {
        AtomicInteger denied = new AtomicInteger();
        Client client = new Client(
                "c", new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS, Runnable::run, denied::incrementAndGet);
        String beyond = "{\"jsonrpc\":\"2.0\",\"method\":\"broadcast\"}";
        String within = "{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":1}";
        List.of(beyond, within, beyond.replace("}", ",\"id\":1}"), "[" + beyond + "," + within + "," + beyond + "]")
                .forEach(body -> Await.result(
                        dispatcher.dispatch(body.getBytes(UTF_8), Optional.of(Grant.of(Scope.READ)), client)));

        assertThat(denied).hasValue(4);
    }

    @Test
    void a_mixed_batch_answers_in_order_without_the_notifications() {
        assertThat(
                        call(
                                "[1,{\"jsonrpc\":\"2.0\",\"method\":\"crash_later\",\"id\":\"a\"},"
                                        + "{\"jsonrpc\":\"2.0\",\"method\":\"count\"},{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":2}]"))
                .matches("200 \\[\\{\"jsonrpc\":\"2.0\",\"error\":\\{\"code\":-32600,[^}]*},\"id\":null},"
                        + "\\{\"jsonrpc\":\"2.0\",\"error\":\\{\"code\":-32603,[^}]*},\"id\":\"a\"},"
                        + "\\{\"jsonrpc\":\"2.0\",\"result\":\\{\"ok\":true},\"id\":2}]");
    }

    @Test
    void a_batch_above_the_limit_is_refused_as_a_whole() {
        String item = "{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":1}";
        assertThat(call("[" + String.join(",", Collections.nCopies(101, item)) + "]"))
                .startsWith("400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,")
                .endsWith(",\"id\":null}");
        assertThat(executed).hasValue(0);
        assertThat(call("[" + String.join(",", Collections.nCopies(100, item)) + "]"))
                .startsWith("200 [");
        assertThat(executed).hasValue(100);
    }

    @Test
    void items_of_a_batch_run_at_the_same_time_but_not_more_than_the_bound() {
        CountDownLatch fourRun = new CountDownLatch(4);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<TestMethods.Ok>> held = Collections.synchronizedList(new ArrayList<>());
        RpcDispatcher slow = TestMethods.dispatcher(
                CallObserver.NONE,
                TestMethods.method("hold", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    CompletableFuture<TestMethods.Ok> answer = new CompletableFuture<>();
                    held.add(answer);
                    fourRun.countDown();
                    return answer;
                }));
        String item = "{\"jsonrpc\":\"2.0\",\"method\":\"hold\",\"id\":1}";
        CompletableFuture<RpcAnswer> answer = slow.dispatch(
                        ("[" + String.join(",", Collections.nCopies(10, item)) + "]").getBytes(UTF_8),
                        Optional.of(Grant.of(Scope.READ)),
                        Client.staying("c"))
                .toCompletableFuture();
        Await.until("all items are answered", () -> {
            List<CompletableFuture<TestMethods.Ok>> now;
            synchronized (held) {
                now = List.copyOf(held);
                held.clear();
            }
            now.forEach(one -> {
                running.decrementAndGet();
                one.complete(new TestMethods.Ok(true));
            });
            return answer.isDone();
        });
        assertThat(fourRun.getCount()).isZero();
        assertThat(most).hasValue(4);
        assertThat(new String(Await.result(answer).body(), UTF_8).split("\"result\""))
                .hasSize(11);
    }

    @Test
    void without_a_valid_token_the_body_is_not_even_looked_at() {
        String unauthorized =
                "401 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":null}";
        assertThat(call(Optional.empty(), "{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}"))
                .isEqualTo(unauthorized);
        assertThat(call(Optional.empty(), "[]")).isEqualTo(unauthorized);
        assertThat(call(Optional.empty(), "{")).isEqualTo(unauthorized);
    }

    @Test
    void a_scope_that_is_too_low_gets_the_same_answer() {
        String broadcast = "{\"jsonrpc\":\"2.0\",\"method\":\"broadcast\",\"id\":3}";
        assertThat(call(Optional.of(Scope.MANAGE), broadcast))
                .isEqualTo(
                        "401 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":3}");
        assertThat(call(Optional.of(Scope.MANAGE), "[" + broadcast + "]"))
                .isEqualTo(
                        "200 [{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":3}]");
        assertThat(call(Optional.of(Scope.SPEND), broadcast))
                .startsWith("200 {\"jsonrpc\":\"2.0\",\"result\":{\"tx_id\":");
    }

    /** Runs one item of a batch at a time, and up to five waits. */
    private static RpcDispatcher oneAtATime(RpcMethod<?, ?>... methods) {
        return new RpcDispatcher(
                MethodRegistry.of(List.of(methods)),
                List.of(),
                CallObserver.NONE,
                new RpcDispatcher.Limits(100, 1, 5),
                TestMethods.EXECUTOR);
    }

    @Test
    void a_token_that_ends_while_its_batch_runs_makes_no_further_call() {
        AtomicInteger denied = new AtomicInteger();
        Client client = new Client(
                "c", new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS, Runnable::run, denied::incrementAndGet);
        Grant worker = Grants.of(Scope.SPEND, NamedToken.Policy.NONE);
        RpcDispatcher sequential = oneAtATime(
                count(),
                TestMethods.method("revoke", Scope.READ, NoParams.class, TestMethods.Ok.class, (none, context) -> {
                    Grants.end(worker);
                    return CompletableFuture.completedFuture(new TestMethods.Ok(true));
                }));
        String batch = "[{'jsonrpc':'2.0','method':'revoke','id':1},{'jsonrpc':'2.0','method':'count','id':2},"
                + "{'jsonrpc':'2.0','method':'count'},{'jsonrpc':'2.0','method':'nope','id':3}]";

        RpcAnswer answer = Await.result(
                sequential.dispatch(batch.replace('\'', '"').getBytes(UTF_8), Optional.of(worker), client));

        assertThat(executed).hasValue(0);
        assertThat(answer.status() + " " + new String(answer.body(), UTF_8))
                .isEqualTo("200 [{'jsonrpc':'2.0','result':{'ok':true},'id':1},".replace('\'', '"') + refusedWith("2")
                        + "," + refusedWith("3") + "]");
        assertThat(denied).hasValue(3);
    }

    private static String refusedWith(String id) {
        return "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":" + id
                + "}";
    }

    @Test
    void a_token_that_has_ended_since_its_request_was_accepted_is_refused_as_one_that_is_unknown() {
        Grant worker = Grants.of(Scope.SPEND, NamedToken.Policy.NONE);
        Grants.end(worker);
        for (String method : List.of("count", "broadcast", "nope")) {
            RpcAnswer answer = Await.result(dispatcher.dispatch(
                    ("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":3}").getBytes(UTF_8),
                    Optional.of(worker),
                    Client.staying("c")));
            assertThat(answer.status() + " " + new String(answer.body(), UTF_8)).isEqualTo("401 " + refusedWith("3"));
        }
        assertThat(executed).hasValue(0);
        assertThat(outcomes)
                .extracting(outcome -> outcome.method() + " " + outcome.required())
                .containsExactly("count READ", "broadcast SPEND", "unknown READ");
        assertThat(outcomes)
                .extracting(CallObserver.CallOutcome::error)
                .containsOnly(Optional.of(ErrorCode.UNAUTHORIZED));
    }

    @Method(name = "wait", scope = Scope.READ, summary = "For tests.", longPoll = true)
    record Wait() implements Call<TestMethods.Ok> {}

    private static CompletableFuture<RpcAnswer> wait(RpcDispatcher dispatcher, Grant grant) {
        return dispatcher
                .dispatch(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"id\":1}".getBytes(UTF_8),
                        Optional.of(grant),
                        Client.staying("c"))
                .toCompletableFuture();
    }

    private static String refusedWait(CompletableFuture<RpcAnswer> answer) {
        assertThat(answer).isDone();
        return new String(Await.result(answer).body(), UTF_8);
    }

    @Test
    void a_wait_that_begins_only_after_its_caller_has_left_is_told_so() {
        CompletableFuture<Void> books = new CompletableFuture<>();
        AtomicInteger open = new AtomicInteger();
        RpcDispatcher waits = oneAtATime(RpcMethod.of(
                Wait.class,
                (none, context) -> books.thenComposeAsync(
                                read -> {
                                    open.incrementAndGet();
                                    context.callerLeft().thenRunAsync(open::decrementAndGet, Runnable::run);
                                    return new CompletableFuture<TestMethods.Ok>();
                                },
                                Runnable::run)
                        .thenApplyAsync(ok -> ok, Runnable::run)));
        ClientPresence presence = new ClientPresence();
        CompletableFuture<RpcAnswer> answer = waits.dispatch(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"id\":1}".getBytes(UTF_8),
                        Optional.of(Grant.of(Scope.READ)),
                        new Client("c", presence, () -> {}, AnswerRoom.BOUNDLESS, Runnable::run, () -> {}))
                .toCompletableFuture();

        presence.leave();
        Await.result(answer);
        assertThat(waits.longPolls()).isZero();
        books.complete(null);

        assertThat(open).hasValue(0);
    }

    @Test
    void a_named_token_takes_no_more_than_half_of_the_waits_and_the_main_tokens_take_them_all() {
        AtomicReference<CompletableFuture<TestMethods.Ok>> event = new AtomicReference<>(new CompletableFuture<>());
        RpcDispatcher waits = oneAtATime(RpcMethod.of(
                Wait.class, (none, context) -> event.get().thenApplyAsync(answer -> answer, TestMethods.EXECUTOR)));
        Grant greedy = Grants.of("greedy", Scope.READ, NamedToken.Policy.NONE);
        Grant anotherValue = Grants.of("greedy", Scope.READ, NamedToken.Policy.NONE);
        Grant modest = Grants.of("modest", Scope.READ, NamedToken.Policy.NONE);
        List<CompletableFuture<RpcAnswer>> open =
                new ArrayList<>(List.of(wait(waits, greedy), wait(waits, anotherValue), wait(waits, greedy)));

        assertThat(refusedWait(wait(waits, anotherValue)))
                .contains("-32042", "already 3 waits at a time with this token", "\"retryable\":true");
        open.add(wait(waits, modest));
        open.add(wait(waits, Grant.of(Scope.READ)));
        assertThat(refusedWait(wait(waits, modest)))
                .contains("-32042", "already 5 waits at a time (--max-waits)", "\"retryable\":true");
        assertThat(open).noneMatch(CompletableFuture::isDone);

        event.getAndSet(new CompletableFuture<>()).complete(new TestMethods.Ok(true));
        open.forEach(answer -> assertThat(Await.result(answer).status()).isEqualTo(200));
        assertThat(waits.longPolls()).isZero();
        open.clear();
        for (int main = 0; main < 5; main++) {
            open.add(wait(waits, Grant.of(Scope.READ)));
        }
        assertThat(waits.longPolls()).isEqualTo(5);
        event.getAndSet(new CompletableFuture<>()).complete(new TestMethods.Ok(true));
        open.forEach(answer -> assertThat(Await.result(answer).status()).isEqualTo(200));
        for (int named = 0; named < 3; named++) {
            assertThat(wait(waits, greedy)).isNotDone();
        }
    }

    @Test
    void an_unknown_method_needs_any_scope_and_is_named_by_its_code() {
        assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"id\":7}"))
                .isEqualTo(
                        "200 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"method not found\"},\"id\":7}");
    }

    @Test
    void an_unexpected_failure_tells_the_caller_where_to_look_and_nothing_else() {
        for (String method : List.of("crash", "crash_later")) {
            assertThat(call("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":7}"))
                    .startsWith("200 ")
                    .contains("-32603", "internal error in " + method, "under request ")
                    .doesNotContain("secret detail");
        }
    }

    @Test
    void the_observer_sees_method_scope_outcome_and_transaction() {
        call(Optional.of(Scope.SPEND), "{\"jsonrpc\":\"2.0\",\"method\":\"broadcast\",\"id\":3}");
        call("{\"jsonrpc\":\"2.0\",\"method\":\"invented\",\"id\":3}");
        call("{\"jsonrpc\":\"2.0\",\"method\":\"crash\",\"id\":3}");
        assertThat(outcomes)
                .extracting(CallObserver.CallOutcome::method)
                .containsExactly("broadcast", "unknown", "crash");
        assertThat(outcomes)
                .extracting(CallObserver.CallOutcome::error)
                .containsExactly(
                        Optional.empty(),
                        Optional.of(ErrorCode.METHOD_NOT_FOUND),
                        Optional.of(ErrorCode.INTERNAL_ERROR));
        assertThat(outcomes.get(0).txId()).contains(Hash256.ZERO);
        assertThat(outcomes.get(0).required()).isEqualTo(Scope.SPEND);
    }

    @Test
    void a_call_is_refused_before_it_is_begun_while_too_much_work_waits() {
        AtomicBoolean full = new AtomicBoolean(true);
        RpcDispatcher busy = new RpcDispatcher(
                MethodRegistry.of(List.of(count())),
                List.of(),
                CallObserver.NONE,
                new RpcDispatcher.Limits(10, 1, 1),
                new RpcDispatcher.Threads(TestMethods.EXECUTOR, full::get),
                Handover.NONE);

        assertThat(answer(busy)).contains("-32042", "\"retryable\":true");
        assertThat(executed).hasValue(0);
        full.set(false);
        assertThat(answer(busy)).contains("\"ok\":true");
    }

    private static String answer(RpcDispatcher dispatcher) {
        byte[] call = "{\"jsonrpc\":\"2.0\",\"method\":\"count\",\"id\":1}".getBytes(UTF_8);
        return new String(
                TestMethods.answer(dispatcher, Optional.of(Scope.READ), call).body(), UTF_8);
    }
}
