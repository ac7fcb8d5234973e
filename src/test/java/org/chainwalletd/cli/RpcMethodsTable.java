package org.chainwalletd.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.chainwalletd.chain.ChainProfile;

/**
 * Table by which the launcher script writes plain parameters as JSON: a line per method, with each parameter as {@code name:type}; required
 * parameters come in their order and end with a star. Parameters that are not a string, integer or boolean, including secrets, have a type
 * that the script leaves to the JVM; so does a method whose name depends on the brand.
 */
public final class RpcMethodsTable {
    private static final Set<String> PLAIN = Set.of("string", "integer", "boolean");

    private RpcMethodsTable() {}

    public static String text() {
        ChainProfile usual = ChainProfile.of("chain");
        Map<String, Map<String, JsonNode>> methods = new TreeMap<>(RpcParameters.ofAllMethods(usual));
        Map<String, Map<String, JsonNode>> elsewhere = RpcParameters.ofAllMethods(ChainProfile.of("other"));
        methods.entrySet().removeIf(method -> !method.getValue().equals(elsewhere.get(method.getKey())));
        return methods.entrySet().stream()
                .map(method -> line(method.getKey(), method.getValue(), RpcParameters.required(usual, method.getKey())))
                .collect(Collectors.joining());
    }

    private static String line(String method, Map<String, JsonNode> params, List<String> required) {
        StringBuilder line = new StringBuilder(method);
        // Parameters without a name are assigned in order, so the order is that of the method.
        required.forEach(
                name -> line.append(' ').append(word(name, params.get(name))).append('*'));
        params.forEach((name, schema) -> {
            if (!required.contains(name)) {
                line.append(' ').append(word(name, schema));
            }
        });
        return line.append('\n').toString();
    }

    private static String word(String name, JsonNode schema) {
        String type = schema.path("type").asText();
        boolean secret = schema.path("format").asText().equals("password");
        return name + ":" + (PLAIN.contains(type) && !secret ? type : "other");
    }
}
