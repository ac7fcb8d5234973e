package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.EvmAccount;
import org.chainwalletd.api.Following;
import org.chainwalletd.api.Keys;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.api.Spending;
import org.chainwalletd.api.Swapping;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** Calls that need background work, at a daemon where it does not run. */
class HandoverTest {
    private final List<String> requests = new ArrayList<>();
    private final List<CallObserver.CallOutcome> ended = new ArrayList<>();
    private CompletableFuture<RpcAnswer> answer = new CompletableFuture<>();
    private boolean here;
    private int begunHere;

    private final RpcDispatcher dispatcher = new RpcDispatcher(
            MethodRegistry.of(List.of(
                    method(Spending.SweepStop.class),
                    method(Swapping.SwapExecute.class),
                    method(EvmAccount.EvmSendNative.class),
                    method(Keys.DeleteAddress.class),
                    method(Following.GetFollowerStatus.class))),
            List.of(),
            new CallObserver() {
                @Override
                public void ended(CallContext context, CallOutcome outcome) {
                    ended.add(outcome);
                }
            },
            new RpcDispatcher.Limits(10, 2, 0),
            new RpcDispatcher.Threads(Runnable::run, () -> false),
            this::hand);

    private <R, C extends Record & Call<R>> RpcMethod<C, R> method(Class<C> call) {
        return RpcMethod.of(call, (params, context) -> {
            begunHere++;
            return CompletableFuture.failedFuture(new RefusedException(ErrorCode.NOT_KEEPER, "begun here"));
        });
    }

    private Optional<CompletionStage<RpcAnswer>> hand(Supplier<byte[]> request, CallContext context) {
        if (here) {
            return Optional.empty();
        }
        requests.add(new String(request.get(), StandardCharsets.UTF_8));
        return Optional.of(answer);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private RpcAnswer call(String method, String params) {
        return Await.result(dispatcher.dispatch(
                utf8("{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"" + method + "\",\"params\":" + params + "}"),
                Optional.of(Grant.of(Scope.SPEND)),
                Client.staying("")));
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    @Test
    void the_request_goes_and_the_answer_comes_as_it_is() {
        String given = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32035,\"message\":\"none\"},\"id\":1.50}";
        answer.complete(new RpcAnswer(503, utf8(given)));
        String params = "{\"client_token\":\"a\\u00fc\\u0001\\\"b\",\"more\":[1.250,null,true,{\"deep\":[]}]}";
        RpcAnswer back = call("sweep_stop", params);
        assertThat(back.status()).isEqualTo(503);
        assertThat(back.body()).isEqualTo(utf8(given));
        assertThat(requests).hasSize(1);
        assertThat(json(requests.get(0)))
                .isEqualTo(
                        json("{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"sweep_stop\",\"params\":" + params + "}"));
        assertThat(requests.get(0)).contains("\"id\":1.50");
        assertThat(ended)
                .singleElement()
                .satisfies(outcome ->
                        assertThat(outcome.error().orElseThrow().code()).isEqualTo(-32035));
        assertThat(begunHere).isZero();
    }

    @Test
    void a_secret_is_in_the_request_as_it_came() {
        answer.complete(new RpcAnswer(200, utf8("{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":1.50}")));
        call("delete_address", "{\"address\":\"" + "ab".repeat(32) + "\",\"passphrase\":\"p\u00e4\\\"\\\\ss\"}");
        assertThat(json(requests.get(0)).get("params").get("passphrase").asText())
                .isEqualTo("p\u00e4\"\\ss");
        assertThat(ended)
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.error()).isEmpty());
    }

    @Test
    void a_lost_answer_is_an_unknown_outcome_that_says_what_to_do() {
        answer.completeExceptionally(new Handover.OutcomeUnknown());
        assertThat(message("sweep_stop", "{\"client_token\":\"nobody-01\"}")).endsWith("is unknown: call again");
        assertThat(message("evm_send_native", "{\"to\":\"0x\",\"amount\":\"1\",\"client_token\":\"invoice-01\"}"))
                .contains("with the same client_token");
        assertThat(message("evm_send_native", "{\"to\":\"0x\",\"amount\":\"1\",\"client_token\":null}"))
                .contains("look whether it was, before you call again");
        assertThat(message("evm_send_native", "{\"to\":\"0x\",\"amount\":\"1\"}"))
                .contains("look whether it was, before you call again");
        assertThat(message("swap_execute", "{\"swap_id\":\"1\"}")).isNotEmpty();
        assertThat(requests).hasSize(5);
        assertThat(begunHere).isZero();
    }

    private String message(String method, String params) {
        JsonNode error = json(new String(call(method, params).body(), StandardCharsets.UTF_8))
                .get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-32603);
        return error.get("message").asText();
    }

    @Test
    void a_call_without_an_id_has_no_answer_and_nothing_but_background_work_goes_away() {
        answer.complete(RpcAnswer.NO_CONTENT);
        RpcAnswer none = Await.result(dispatcher.dispatch(
                utf8("{\"jsonrpc\":\"2.0\",\"method\":\"sweep_stop\",\"params\":{\"client_token\":\"nobody-01\"}}"),
                Optional.of(Grant.of(Scope.SPEND)),
                Client.staying("")));
        assertThat(none.status()).isEqualTo(204);
        assertThat(requests.get(0)).doesNotContain("\"id\"");
        call("get_follower_status", "{}");
        assertThat(requests).hasSize(1);
        assertThat(begunHere).isEqualTo(1);
        here = true;
        call("sweep_stop", "{\"client_token\":\"nobody-01\"}");
        assertThat(begunHere).isEqualTo(2);
    }

    @Test
    void a_call_of_another_daemon_is_begun_here_with_the_rights_that_it_has() {
        byte[] request = utf8(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sweep_stop\",\"params\":{\"client_token\":\"nobody-01\"}}");
        assertThat(new String(
                        Await.result(dispatcher.answerHere(request.clone(), Grant.of(Scope.READ), "", "aa"))
                                .body(),
                        StandardCharsets.UTF_8))
                .contains("-32001");
        assertThat(begunHere).isZero();
        assertThat(new String(
                        Await.result(dispatcher.answerHere(request.clone(), Grant.of(Scope.SPEND), "", "bb"))
                                .body(),
                        StandardCharsets.UTF_8))
                .contains("begun here");
        assertThat(requests).isEmpty();
    }
}
