package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.config.Nearest;
import org.chainwalletd.config.Version;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.wire.Shapes;

/** Parser of typed call parameters: {@code key=value} according to the types in the method registry, or a JSON object. */
final class RpcParameters {
    /** Hint for invalid JSON, which is usually caused by shell quoting. */
    private static final String QUOTES =
            "; JSON on a command line is one word in single quotes, or the shell takes its double quotes away: '{\"key\": \"value\"}'";

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final String method;
    private final Optional<Map<String, JsonNode>> known;
    private final List<String> required;
    private final SecretWords secrets;

    /** @param secrets reads the values of secrets */
    RpcParameters(ChainProfile chain, String method, SecretWords secrets) {
        this.method = method;
        this.known = Optional.ofNullable(ofAllMethods(chain).get(method));
        this.required = required(chain, method);
        this.secrets = secrets;
    }

    /** Returns the parameter schemas of each method by name, including aliases. */
    static Map<String, Map<String, JsonNode>> ofAllMethods(ChainProfile chain) {
        Map<String, Map<String, JsonNode>> methods = new LinkedHashMap<>();
        JsonNode described = registry(chain).describe(Version.number());
        for (JsonNode method : described.get("methods")) {
            Map<String, JsonNode> params = new LinkedHashMap<>();
            method.get("params").forEach(param -> {
                String reference = param.at("/schema/$ref").asText();
                params.put(param.get("name").asText(), described.at(reference.substring(1)));
            });
            methods.put(method.get("name").asText(), params);
        }
        return methods;
    }

    /** Returns the method's required parameters in their order. */
    static List<String> required(ChainProfile chain, String method) {
        return method(chain, method).stream()
                .flatMap(described -> Shapes.membersOf(described.params()).stream())
                .filter(Shapes.Member::required)
                .map(Shapes.Member::name)
                .toList();
    }

    static MethodRegistry registry(ChainProfile chain) {
        return MethodFamilies.withoutServices(chain, Version.number()).registry();
    }

    static Optional<? extends RpcMethod<?, ?>> method(ChainProfile chain, String name) {
        return registry(chain).methods().stream()
                .filter(method -> method.name().equals(name))
                .findFirst();
    }

    /** Message about an unknown method, with a suggestion. */
    static String unknown(String method) {
        List<String> names = registry(ChainProfile.of("chain")).methods().stream()
                .map(RpcMethod::name)
                .toList();
        return "there is no method " + Printable.text(method) + Nearest.colon(method, names)
                + "; rpc help lists them all";
    }

    /** Parses a JSON object. */
    static Map<String, Object> ofJson(String text) throws Mistake {
        try {
            JsonNode given = JSON.readTree(text);
            if (!given.isObject()) {
                throw new Mistake("the parameters are no JSON object but " + kind(given) + ": give them by name");
            }
            return JSON.convertValue(given, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new Mistake("the parameters are no JSON object: " + e.getOriginalMessage());
        }
    }

    /** Parses a JSON object from the command line, which every user of the machine can read, so it must not contain a secret. */
    Map<String, Object> ofVisibleJson(String text) throws Mistake {
        Map<String, Object> given;
        try {
            given = ofJson(text);
        } catch (Mistake e) {
            throw new Mistake(e.getMessage() + QUOTES);
        }
        for (String key : given.keySet()) {
            if (isSecret(key)) {
                throw visible(key);
            }
        }
        return given;
    }

    /** @param words {@code key=value} each, {@code key=-} for a secret; before these, values of required parameters in their order without names */
    Map<String, Object> ofWords(List<String> words) throws Mistake {
        ObjectNode params = JSON.createObjectNode();
        if (words.size() > 1 && words.get(0).startsWith("{")) {
            throw new Mistake(
                    "'" + shown(words.get(0)) + "' begins a JSON object that goes on in the next word" + QUOTES);
        }
        for (String word : words) {
            int equals = word.indexOf('=');
            boolean named = equals > 0 && word.substring(0, equals).matches("[a-z][a-z0-9_]*");
            String key = named ? word.substring(0, equals) : positional(params, word);
            if (params.has(key)) {
                throw new Mistake("the parameter " + key + " is there twice");
            }
            params.set(key, value(key, named ? word.substring(equals + 1) : word));
        }
        return JSON.convertValue(params, new TypeReference<>() {});
    }

    /** Returns the required parameter to which a word without a name belongs. */
    private String positional(ObjectNode params, String word) throws Mistake {
        int colon = word.indexOf(':');
        String before = word.substring(0, Math.max(0, colon)).replace("\"", "");
        if (known.isPresent() && known.get().containsKey(before)) {
            throw new Mistake(
                    "a parameter reads " + before + "=..., not " + before + ": ...; or all of them are JSON" + QUOTES);
        }
        if (params.size() < required.size()) {
            String next = required.get(params.size());
            if (!params.has(next)) {
                return next;
            }
        }
        if (word.startsWith("[")) {
            throw new Mistake("the parameters are no JSON object but array: give them by name");
        }
        if (known.isEmpty()) {
            throw new Mistake(unknown(method) + "; parameters of a method that only the daemon knows read key=value");
        }
        throw new Mistake("a parameter reads key=value, or all of them are one JSON object in quotes"
                + (required.isEmpty() ? "" : ", or the required ones come first: " + String.join(", ", required))
                + "; this one does not: '" + shown(word) + "'");
    }

    /** Parses a value. For a method that only the daemon may know, values are parsed as JSON if possible. */
    private JsonNode value(String key, String text) throws Mistake {
        if (known.isEmpty()) {
            return json(text).orElseGet(() -> TextNode.valueOf(text));
        }
        JsonNode schema = known.get().get(key);
        if (schema == null) {
            String names = known.get().isEmpty()
                    ? "it has none"
                    : "it has " + String.join(", ", new ArrayList<>(known.get().keySet()));
            throw new Mistake(method + " has no parameter " + key
                    + Nearest.colon(key, known.get().keySet()) + "; " + names);
        }
        return isSecret(key) ? secret(key, text) : typed(schema, key, text);
    }

    private boolean isSecret(String key) {
        return known.map(params -> params.get(key))
                .filter(schema -> schema.path("format").asText().equals("password"))
                .isPresent();
    }

    /** Reads a secret; a phrase may also be an array of words. */
    private JsonNode secret(String key, String text) throws Mistake {
        if (!text.equals(SecretWords.ELSEWHERE)) {
            throw visible(key);
        }
        String typed = secrets.read(key);
        return json(typed).filter(JsonNode::isArray).orElseGet(() -> TextNode.valueOf(typed));
    }

    private static Mistake visible(String key) {
        return new Mistake(key + " is a secret, and everybody on this machine can read command lines: give " + key
                + "=- and the secret on standard input, or all parameters with --params");
    }

    private static JsonNode typed(JsonNode schema, String key, String text) throws Mistake {
        switch (schema.path("type").asText()) {
            case "string":
                return TextNode.valueOf(text);
            case "integer":
                return integer(key, text);
            case "boolean":
                return json(text).filter(JsonNode::isBoolean).orElseThrow(() -> new Mistake(key + " is true or false"));
            case "array":
                return json(text)
                        .filter(JsonNode::isArray)
                        .orElseThrow(() -> new Mistake(key + " is a JSON array, such as '[...]'" + quotes(text)));
            case "object":
                return json(text)
                        .filter(JsonNode::isObject)
                        .orElseThrow(() -> new Mistake(key + " is a JSON object, such as '{...}'" + quotes(text)));
            default:
                return json(text).orElseGet(() -> TextNode.valueOf(text));
        }
    }

    private static String quotes(String text) {
        return text.startsWith("[") || text.startsWith("{") ? QUOTES : "";
    }

    private static JsonNode integer(String key, String text) throws Mistake {
        try {
            return JSON.getNodeFactory().numberNode(new BigInteger(text));
        } catch (NumberFormatException e) {
            throw new Mistake(key + " is an integer");
        }
    }

    private static Optional<JsonNode> json(String text) {
        try {
            JsonNode read = JSON.readTree(text);
            return read.isMissingNode() ? Optional.empty() : Optional.of(read);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** Abbreviates a word for a message, because a misplaced word may be a secret. */
    private static String shown(String word) {
        return word.length() <= 12 ? word : word.substring(0, 8) + "…";
    }

    private static String kind(JsonNode given) {
        return given.isMissingNode() ? "nothing" : given.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reader of secrets that are not on the command line: each is a line of standard input, in the order of the parameters. At a terminal it
     * prompts for them without echo.
     */
    record SecretWords(Invocation.Streams streams) {
        /** Placeholder for a secret on the command line. */
        static final String ELSEWHERE = "-";

        /** @param name name of the parameter, for the prompt */
        String read(String name) throws Mistake {
            Console console = streams.in() == System.in ? System.console() : null;
            if (console != null) {
                char[] typed = console.readPassword("%s: ", name);
                if (typed != null) {
                    return new String(typed);
                }
            } else {
                try {
                    return line(streams.in());
                } catch (IOException e) {
                    throw new Mistake(name + " cannot be read from standard input: " + e.getMessage());
                }
            }
            throw new Mistake(name + " was not typed");
        }

        /** Reads a line byte by byte, because buffered bytes would be lost to the next secret. */
        private static String line(InputStream from) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int next = from.read();
            if (next < 0) {
                throw new IOException("it has ended");
            }
            while (next >= 0 && next != '\n') {
                line.write(next);
                next = from.read();
            }
            String text = line.toString(StandardCharsets.UTF_8);
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        }
    }

    /** Signals invalid parameters; the message is for the user and contains no complete value. */
    static final class Mistake extends Exception {
        private static final long serialVersionUID = 1L;

        Mistake(String message) {
            super(message);
        }
    }
}
