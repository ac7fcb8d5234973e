package org.chainwalletd.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Proxy of a development node that passes calls and push streams on, and falsifies the results of single methods as a test specifies. */
public final class DistortingNode implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private final ScriptedNode front = ScriptedNode.start();
    private final URI behind;
    private final Set<Socket> streams = ConcurrentHashMap.newKeySet();
    private final Map<String, BiFunction<JsonNode, JsonNode, JsonNode>> lies = new ConcurrentHashMap<>();
    private final Map<String, Function<JsonNode, String>> refusals = new ConcurrentHashMap<>();

    public DistortingNode(URI behind) {
        this.behind = behind;
        front.on("*", this::pass).on("/sse", this::stream);
    }

    public URI url() {
        return front.url();
    }

    /**
     * Falsifies the results of a method.
     *
     * @param lie maps the true result of {@code method} to the one that is returned
     */
    public void lieAbout(String method, Function<ObjectNode, JsonNode> lie) {
        lieAbout(method, (params, result) -> lie.apply((ObjectNode) result));
    }

    /**
     * Falsifies the results of a method.
     *
     * @param lie maps the parameters and the true result (null for an error) to the result that is returned; null returns the true one
     */
    public void lieAbout(String method, BiFunction<JsonNode, JsonNode, JsonNode> lie) {
        lies.put(method, lie);
    }

    /**
     * Refuses calls of a method.
     *
     * @param words maps the parameters to the error with which {@code method} is refused without asking the node; null passes the call on
     */
    public void refuse(String method, Function<JsonNode, String> words) {
        refusals.put(method, words);
    }

    public void tellTheTruth() {
        lies.clear();
        refusals.clear();
    }

    /** Returns the number of calls of {@code method}. */
    public long count(String method) {
        return front.count(method);
    }

    /** Returns the number of calls of all methods. */
    public long count() {
        return front.requests().size();
    }

    private void pass(ScriptedNode.Request request, Socket socket) throws IOException {
        Function<JsonNode, String> refusal = refusals.get(request.method());
        String refused = refusal == null ? null : refusal.apply(request.params());
        if (refused != null) {
            ScriptedNode.error(-32602, refused).serve(request, socket);
            return;
        }
        ObjectNode call = JSON.createObjectNode()
                .put("jsonrpc", "2.0")
                .put("method", request.method())
                .put("id", 1);
        call.set("params", request.params());
        ObjectNode answer = (ObjectNode) JSON.readTree(post(call.toString()));
        BiFunction<JsonNode, JsonNode, JsonNode> lie = lies.get(request.method());
        JsonNode told = lie == null ? null : lie.apply(request.params(), answer.get("result"));
        if (told != null) {
            answer.remove("error");
            answer.set("result", told);
        }
        answer.set("id", parsed(request.id()));
        ScriptedNode.body(200, answer.toString()).serve(request, socket);
    }

    /** Without the stream a follower learns of a block only at its next poll. */
    private void stream(ScriptedNode.Request request, Socket socket) throws IOException {
        try (Socket node = Dial.socket(behind)) {
            streams.add(node);
            node.getOutputStream().write(request.head().getBytes(StandardCharsets.US_ASCII));
            node.getInputStream().transferTo(socket.getOutputStream());
            streams.remove(node);
        }
    }

    private static JsonNode parsed(String json) throws JsonProcessingException {
        return JSON.readTree(json);
    }

    private String post(String body) throws IOException {
        try {
            return Dial.answer(Dial.request(behind)
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build())
                    .body();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        front.close();
        for (Socket stream : streams) {
            try {
                stream.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
