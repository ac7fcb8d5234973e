package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A request as a node reads it (chain protocol, section 10.2): no batches, no notifications; unknown members are ignored, a repeated known
 * one is a parse error.
 *
 * @param params JSON null when absent
 */
record Envelope(String version, String method, JsonNode params, JsonNode id) {
    private static final Set<String> KNOWN = Set.of("jsonrpc", "method", "params", "id");

    /**
     * @throws IOException when the body is not a request
     */
    static Envelope read(byte[] body) throws IOException {
        Map<String, JsonNode> members = new HashMap<>();
        try (JsonParser in = Json.parser(body)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not an object");
            }
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                in.nextToken();
                JsonNode value = Json.value(in);
                if (KNOWN.contains(name) && members.put(name, value) != null) {
                    throw new IOException("repeated member");
                }
            }
            if (in.nextToken() != null) {
                throw new IOException("trailing data");
            }
        }
        JsonNode version = members.get("jsonrpc");
        JsonNode method = members.get("method");
        JsonNode id = members.get("id");
        if (version == null || !version.isTextual() || method == null || !method.isTextual() || id == null) {
            throw new IOException("missing or ill-typed member");
        }
        return new Envelope(
                version.textValue(), method.textValue(), members.getOrDefault("params", NullNode.getInstance()), id);
    }
}
