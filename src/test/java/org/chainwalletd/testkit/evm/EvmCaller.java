package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpRequest;
import org.chainwalletd.testkit.Dial;

/** Client of an account chain over HTTP, independent of the daemon's code. */
public final class EvmCaller {
    private final URI endpoint;

    public EvmCaller(URI endpoint) {
        this.endpoint = endpoint;
    }

    /** Error returned by the chain. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int code;

        private Refused(JsonNode error) {
            super(error.path("message").asText());
            code = error.path("code").asInt();
        }

        public int code() {
            return code;
        }
    }

    /**
     * @param params strings, numbers, booleans, maps or trees
     * @throws Refused when the answer is an error
     */
    public JsonNode call(String method, Object... params) {
        ObjectNode request = EvmJson.MAPPER
                .createObjectNode()
                .put("jsonrpc", "2.0")
                .put("id", 1)
                .put("method", method);
        request.set("params", EvmJson.MAPPER.valueToTree(params));
        JsonNode answer = post(request.toString());
        if (answer.has("error")) {
            throw new Refused(answer.get("error"));
        }
        return answer.get("result");
    }

    /** Posts a body and returns the whole answer. */
    public JsonNode post(String body) {
        HttpRequest request = Dial.request(endpoint)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return EvmJson.MAPPER.readTree(Dial.answer(request).body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
