package org.chainwalletd.devnet;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Recorded answers of a real node: {@code src/test/resources/fixtures/node-*.json}, unchanged. */
final class Recorded {
    private Recorded() {}

    static JsonNode file(String name) {
        try (InputStream in = Recorded.class.getResourceAsStream("/fixtures/" + name)) {
            return NodeCall.JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<JsonNode> exchanges(String name) {
        List<JsonNode> exchanges = new ArrayList<>();
        file(name).required("exchanges").forEach(exchanges::add);
        return exchanges;
    }

    /** Returns the recorded call of this name. */
    static JsonNode call(String name) {
        return exchanges("node-rpc.json").stream()
                .filter(exchange -> exchange.required("name").textValue().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing recorded as " + name));
    }

    /** Returns the parameters of an exchange; null if the member was absent. */
    static JsonNode params(JsonNode exchange) {
        JsonNode params = exchange.required("params");
        return params.isNull() ? null : params;
    }
}
