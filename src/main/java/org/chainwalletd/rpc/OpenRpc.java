package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;
import org.chainwalletd.wire.Spelling;

/** OpenRPC 1.3 document of a registry (decisions.md, section 5). */
final class OpenRpc {
    private static final String OPENRPC_VERSION = "1.3.2";

    /** Schemas by title, which client generators use as the type name. */
    private final ObjectNode schemas = JsonNodeFactory.instance.objectNode();

    private OpenRpc() {}

    /** @param version version of the daemon */
    static ObjectNode document(List<RpcMethod<?, ?>> methods, String version) {
        return new OpenRpc().describe(methods, version);
    }

    private ObjectNode describe(List<RpcMethod<?, ?>> methods, String version) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("openrpc", OPENRPC_VERSION);
        document.putObject("info")
                .put("title", "wallet signing daemon")
                .put("version", version)
                .put(
                        "description",
                        "JSON-RPC 2.0 over HTTP POST /. x-scope is the least token scope that a method needs.");
        ArrayNode list = document.putArray("methods");
        methods.forEach(method -> list.add(method(method)));
        ObjectNode components = document.putObject("components");
        components.set("schemas", schemas);
        ObjectNode errors = components.putObject("errors");
        ObjectNode details = document.putObject("x-errors");
        for (ErrorCode code : ErrorCode.values()) {
            errors.putObject(code.name()).put("code", code.code()).put("message", code.title());
            details.set(code.name(), details(code));
        }
        return document;
    }

    private ObjectNode method(RpcMethod<?, ?> method) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("name", method.name()).put("summary", method.summary());
        if (method.deprecated()) {
            node.put("deprecated", true);
        }
        node.put("paramStructure", "by-name");
        node.put("x-scope", method.scope().word());
        ArrayNode params = node.putArray("params");
        Spelling spelling = method.spelling();
        requiredFirst(Shapes.membersOf(method.params())).forEach(member -> addParam(params, member, spelling));
        ObjectNode result = node.putObject("result").put("name", method.name() + "_result");
        result.set("schema", shared(spelling.ofSchema(Shapes.of(method.result()).schema())));
        ArrayNode errors = node.putArray("errors");
        method.allErrors().forEach(code -> errors.addObject().put("$ref", "#/components/errors/" + code.name()));
        return node;
    }

    /**
     * Adds {@code schema} to the shared schemas and returns a reference to it, so that generators create one type per schema. The description
     * is left out, because it documents one member, not the type.
     */
    private ObjectNode shared(JsonNode schema) {
        ObjectNode shape = ((ObjectNode) schema.deepCopy()).without("description");
        shape.path("properties").properties().forEach(member -> member.setValue(shared(member.getValue())));
        if (shape.get("oneOf") instanceof ArrayNode choices) {
            for (int i = 0; i < choices.size(); i++) {
                choices.set(i, shared(choices.get(i)));
            }
        }
        if (shape.has("items")) {
            shape.set("items", shared(shape.get("items")));
        }
        String description = meanings(schema.path("properties"));
        if (!description.isEmpty()) {
            shape.put("description", description);
        }
        String title = shape.path("title").asText();
        JsonNode other = schemas.putIfAbsent(title, shape);
        if (other != null && !other.equals(shape)) {
            throw new IllegalStateException("two shapes have the title " + title);
        }
        return JsonNodeFactory.instance.objectNode().put("$ref", "#/components/schemas/" + title);
    }

    /**
     * Descriptions of the members on one line, which can be a comment in any language: JSON Schema draft 7 ignores descriptions beside a
     * {@code $ref}.
     */
    private static String meanings(JsonNode properties) {
        StringJoiner descriptions = new StringJoiner("; ");
        properties.properties().forEach(member -> {
            if (member.getValue().has("description")) {
                descriptions.add(member.getKey() + ": "
                        + member.getValue().get("description").asText());
            }
        });
        return descriptions.toString();
    }

    /** Sorts required members to the front, as OpenRPC requires. */
    private static List<Shapes.Member> requiredFirst(List<Shapes.Member> members) {
        List<Shapes.Member> sorted = new ArrayList<>(members);
        sorted.sort((a, b) -> Boolean.compare(b.required(), a.required()));
        return sorted;
    }

    private void addParam(ArrayNode params, Shapes.Member member, Spelling spelling) {
        String name = spelling.written(member.name());
        JsonNode schema = shared(spelling.ofSchema(member.shape().schema()));
        ObjectNode param = params.addObject().put("name", name);
        if (!member.doc().isEmpty()) {
            param.put("description", member.doc());
        }
        param.put("required", member.required());
        param.set("schema", schema);
        if (!name.equals(member.name())) {
            addAlias(params, member.name(), name, schema);
        }
        for (String alias : member.aliases()) {
            ObjectNode other = addAlias(params, alias, name, schema);
            if (member.aliasesDeprecated()) {
                other.put("deprecated", true);
            }
        }
    }

    private static ObjectNode addAlias(ArrayNode params, String alias, String name, JsonNode schema) {
        ObjectNode other = params.addObject()
                .put("name", alias)
                .put("description", "another spelling of " + name + ", which is then left out")
                .put("required", false)
                .put("x-alias-of", name);
        other.set("schema", schema);
        return other;
    }

    /** Details of an error that OpenRPC's error object cannot express. */
    private static ObjectNode details(ErrorCode code) {
        ObjectNode details = JsonNodeFactory.instance
                .objectNode()
                .put("meaning", code.meaning())
                .put("http_status", code.httpStatus())
                .put("retryable", code.retryable());
        if (!code.dataShape().isEmpty()) {
            details.put("data", code.dataShape());
        }
        return details;
    }
}
