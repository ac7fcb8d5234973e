package org.chainwalletd.rpc.method;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.testkit.Await;

/** Some methods behind the real dispatcher, from the text of a request to the text of its answer. */
public final class CallRig {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private final RpcDispatcher dispatcher;

    public CallRig(List<RpcMethod<?, ?>> methods, ErrorTranslator... errors) {
        dispatcher = new RpcDispatcher(
                MethodRegistry.of(methods),
                List.of(errors),
                CallObserver.NONE,
                new RpcDispatcher.Limits(100, 4, 10),
                Runnable::run);
    }

    /** Returns the result of a call that must succeed. */
    public JsonNode result(String method, Object params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.path("error").isMissingNode()).as(answer.toString()).isTrue();
        return answer.path("result");
    }

    /** Returns the error of a call that must fail. */
    public JsonNode error(String method, Object params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.path("error").isObject()).as(answer.toString()).isTrue();
        return answer.path("error");
    }

    /** Returns the error code of a call that must fail. */
    public int code(String method, Object params) {
        return error(method, params).path("code").intValue();
    }

    private JsonNode answer(String method, Object params) {
        ObjectNode request = JSON.createObjectNode();
        request.put("jsonrpc", "2.0").put("method", method).put("id", 1).set("params", JSON.valueToTree(params));
        try {
            RpcAnswer answer = Await.outcome(dispatcher
                    .dispatch(
                            JSON.writeValueAsBytes(request), Optional.of(Grant.of(Scope.SPEND)), Client.staying("test"))
                    .toCompletableFuture());
            return JSON.readTree(new String(answer.body(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Returns {@code params} with one member changed. */
    public static Map<String, Object> with(Map<String, Object> params, String name, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(params);
        if (value == null) {
            changed.remove(name);
        } else {
            changed.put(name, value);
        }
        return changed;
    }
}
