package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Writes the typed client's sources from an OpenRPC document. Line breaks are left to the formatter. */
final class ClientSource {
    private static final BigInteger INT_MAX = BigInteger.valueOf(Integer.MAX_VALUE);
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    /** Parameters that say how long the daemon waits, and how long it does without them (interface.md, section 4.6; following.md, section 3). */
    private static final Map<String, Integer> WAITS = Map.of("timeout_secs", 60, "wait_secs", 0);

    /** Names that no component of a record can have. */
    private static final Set<String> TAKEN =
            Set.of("default", "native", "hash_code", "notify", "wait", "method", "params", "read", "waits");

    private final List<Method> methods;

    /**
     * @param javaType as a component's type
     * @param reader a function from a JSON value
     * @param nested the record, when it is an object or a list of them
     */
    private record Type(String javaType, String reader, Optional<Body> nested, boolean list) {}

    private record Member(String wire, String name, Type type, boolean required, boolean secret, String doc) {}

    /** A record: its name and its members. */
    private record Body(String name, List<Member> members) {}

    private record Method(String wire, String summary, String scope, Body params, Optional<Body> result) {
        String javaName() {
            return decapitalised(params.name());
        }

        String resultType() {
            return result.isPresent() ? params.name() + ".Result" : "JsonNode";
        }

        boolean isSpend() {
            return params.members().stream().anyMatch(member -> member.wire().equals("client_token"));
        }
    }

    ClientSource(JsonNode openRpc) {
        methods = stream(openRpc.get("methods"))
                .filter(method -> !method.path("deprecated").asBoolean())
                .filter(method -> !method.get("name").asText().startsWith("rpc."))
                .map(ClientSource::method)
                .toList();
    }

    /** Path from the source root to content. */
    Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        for (Method method : methods) {
            files.put("org/chainwalletd/client/method/" + method.params().name() + ".java", source(method));
        }
        files.put("org/chainwalletd/client/WalletdMethods.java", facade(false));
        files.put("org/chainwalletd/client/AsyncWalletdMethods.java", facade(true));
        return files;
    }

    private static Method method(JsonNode method) {
        String wire = method.get("name").asText();
        List<Member> params = stream(method.get("params"))
                .filter(param -> !param.has("x-alias-of"))
                .map(param -> member(
                        param.get("name").asText(),
                        param.get("schema"),
                        param.path("required").asBoolean(),
                        param.path("description").asText("")))
                .toList();
        JsonNode result = method.get("result").get("schema");
        Optional<Body> body = result.has("properties") || result.has("oneOf")
                ? Optional.of(new Body("Result", members(result)))
                : Optional.empty();
        return new Method(
                wire,
                method.get("summary").asText(),
                method.get("x-scope").asText(),
                new Body(camel(wire), params),
                body);
    }

    /** Of an object, or of one of several: then only what all of them have is always there. */
    private static List<Member> members(JsonNode schema) {
        List<JsonNode> choices =
                schema.has("oneOf") ? stream(schema.get("oneOf")).toList() : List.of(schema);
        Map<String, Member> members = new LinkedHashMap<>();
        for (JsonNode choice : choices) {
            choice.path("properties").properties().forEach(property -> {
                boolean always = choices.stream().allMatch(one -> isRequired(one, property.getKey()));
                members.putIfAbsent(
                        property.getKey(),
                        member(
                                property.getKey(),
                                property.getValue(),
                                always,
                                property.getValue().path("description").asText("")));
            });
        }
        return List.copyOf(members.values());
    }

    private static boolean isRequired(JsonNode object, String name) {
        return stream(object.path("required")).anyMatch(one -> one.asText().equals(name));
    }

    private static Member member(String wire, JsonNode schema, boolean required, String doc) {
        boolean nullable = schema.has("oneOf")
                && stream(schema.get("oneOf"))
                        .anyMatch(one -> one.path("type").asText().equals("null"));
        JsonNode plain = nullable ? schema.get("oneOf").get(0) : schema;
        String name = decapitalised(camel(wire));
        return new Member(
                wire,
                TAKEN.contains(wire) ? name + "Value" : name,
                type(wire, plain),
                required && !nullable,
                isSecret(plain),
                doc);
    }

    private static boolean isSecret(JsonNode schema) {
        return schema.path("format").asText().equals("password");
    }

    /** A secret must not get into a log by way of its record. */
    private static String hiding(Body body) {
        if (body.members().stream().noneMatch(Member::secret)) {
            return "";
        }
        return "@Override\npublic String toString() {\nreturn \"" + body.name() + "[not shown]\";\n}\n\n";
    }

    private static Type type(String wire, JsonNode schema) {
        if (isOneOrMore(schema)) {
            return list(type(singular(wire), schema.at("/oneOf/0")));
        }
        if (schema.has("properties") || schema.has("oneOf")) {
            Body body = new Body(camel(wire), members(schema));
            return new Type(body.name(), body.name() + "::read", Optional.of(body), false);
        }
        return switch (schema.path("type").asText()) {
            case "string" -> new Type("String", "Answer::text", Optional.empty(), false);
            case "boolean" -> new Type("Boolean", "Answer::truth", Optional.empty(), false);
            case "integer" -> integer(schema.get("maximum").bigIntegerValue());
            case "array" -> list(type(singular(wire), schema.get("items")));
            default -> new Type("JsonNode", "Answer::any", Optional.empty(), false);
        };
    }

    /** A value, or an array of such values: an array will do. */
    private static boolean isOneOrMore(JsonNode schema) {
        JsonNode either = schema.path("oneOf");
        return either.size() == 2 && either.get(1).path("items").equals(either.get(0));
    }

    private static Type integer(BigInteger maximum) {
        if (maximum.compareTo(INT_MAX) <= 0) {
            return new Type("Integer", "Answer::int32", Optional.empty(), false);
        }
        return maximum.compareTo(LONG_MAX) <= 0
                ? new Type("Long", "Answer::int64", Optional.empty(), false)
                : new Type("BigInteger", "Answer::u64", Optional.empty(), false);
    }

    private static Type list(Type item) {
        return new Type("List<" + item.javaType() + ">", "Answer.list(" + item.reader() + ")", item.nested(), true);
    }

    private static String source(Method method) {
        StringBuilder out = new StringBuilder();
        Body params = method.params();
        String result = method.result().isPresent() ? "Result" : "JsonNode";
        out.append(javadoc(
                sentence("{@code " + method.wire() + "}: " + method.summary()) + " Needs the " + method.scope()
                        + " token.",
                params.members()));
        out.append("public record ")
                .append(params.name())
                .append('(')
                .append(components(params, true))
                .append(')');
        out.append(" implements ")
                .append(method.isSpend() ? "Spend" : "Call")
                .append('<')
                .append(params.name());
        out.append(method.result().isPresent() ? ".Result" : "").append("> {\n");
        if (method.result().isEmpty()) {
            out.setLength(out.length() - (params.name() + "> {\n").length());
            out.append("JsonNode> {\n");
        }
        out.append(makers(params));
        out.append("@Override\npublic String method() {\nreturn \"")
                .append(method.wire())
                .append("\";\n}\n\n");
        out.append("@Override\npublic Map<String, Object> params() {\n")
                .append(writing(params))
                .append("}\n\n");
        out.append("@Override\npublic ")
                .append(result)
                .append(" read(JsonNode result) {\nreturn ")
                .append(method.result().isPresent() ? "Result.read(result)" : "result")
                .append(";\n}\n\n");
        out.append(waiting(params)).append(hiding(params));
        nested(params).forEach(body -> out.append(parameterRecord(body)));
        method.result().ifPresent(body -> out.append(resultRecord(body)));
        out.append("}\n");
        return "package org.chainwalletd.client.method;\n\n" + imports(out) + out;
    }

    private static String imports(CharSequence body) {
        Map<String, String> known = Map.of(
                "JsonNode", "com.fasterxml.jackson.databind.JsonNode",
                "BigInteger", "java.math.BigInteger",
                "Duration", "java.time.Duration",
                "LinkedHashMap", "java.util.LinkedHashMap",
                "List", "java.util.List",
                "Map", "java.util.Map",
                "Optional", "java.util.Optional");
        String text = body.toString();
        Set<String> used = new TreeSet<>();
        known.forEach((name, qualified) -> {
            if (text.matches("(?s).*\\b" + name + "\\b.*")) {
                used.add("import " + qualified + ";\n");
            }
        });
        return String.join("", used) + "\n";
    }

    private static String javadoc(String text, List<Member> members) {
        StringBuilder doc = new StringBuilder("/**\n").append(wrapped(text));
        List<Member> told =
                members.stream().filter(member -> !member.doc().isEmpty()).toList();
        doc.append(told.isEmpty() ? "" : " *\n");
        told.forEach(member -> doc.append(wrapped("@param " + member.name() + " " + escaped(member.doc()))));
        return doc.append(" */\n").toString();
    }

    private static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        StringBuilder line = new StringBuilder(" *");
        for (String word : text.split(" ")) {
            if (line.length() + word.length() > 115) {
                lines.append(line).append('\n');
                line = new StringBuilder(" *");
            }
            line.append(' ').append(word);
        }
        return lines.append(line).append('\n').toString();
    }

    private static String components(Body body, boolean optionals) {
        return body.members().stream()
                .filter(member -> optionals || member.required())
                .map(member -> componentType(member) + " " + member.name())
                .collect(Collectors.joining(", "));
    }

    private static String componentType(Member member) {
        return member.required()
                ? member.type().javaType()
                : "Optional<" + member.type().javaType() + ">";
    }

    /** {@code of} with what must be there, {@code with…} for the rest. */
    private static String makers(Body body) {
        StringBuilder out = new StringBuilder();
        String all = body.members().stream()
                .map(member -> member.required() ? member.name() : "Optional.empty()")
                .collect(Collectors.joining(", "));
        out.append("/** With what must be there. */\npublic static ")
                .append(body.name())
                .append(" of(")
                .append(components(body, false))
                .append(") {\nreturn new ")
                .append(body.name())
                .append('(')
                .append(all)
                .append(");\n}\n\n");
        for (Member changed : body.members()) {
            if (!changed.required()) {
                String values = body.members().stream()
                        .map(member -> member == changed ? "Optional.of(" + member.name() + ")" : member.name())
                        .collect(Collectors.joining(", "));
                out.append("public ")
                        .append(body.name())
                        .append(" with")
                        .append(capitalised(changed.name()))
                        .append('(')
                        .append(changed.type().javaType())
                        .append(' ')
                        .append(changed.name())
                        .append(") {\nreturn new ")
                        .append(body.name())
                        .append('(')
                        .append(values)
                        .append(");\n}\n\n");
            }
        }
        return out.toString();
    }

    private static String writing(Body body) {
        if (body.members().isEmpty()) {
            return "return Map.of();\n";
        }
        StringBuilder out = new StringBuilder("Map<String, Object> params = new LinkedHashMap<>();\n");
        for (Member member : body.members()) {
            out.append(
                    member.required()
                            ? "params.put(\"" + member.wire() + "\", " + value(member, member.name()) + ");\n"
                            : member.name() + ".ifPresent(value -> params.put(\"" + member.wire() + "\", "
                                    + value(member, "value") + "));\n");
        }
        return out.append("return params;\n").toString();
    }

    private static String value(Member member, String expression) {
        if (member.type().nested().isEmpty()) {
            return expression;
        }
        return member.type().list()
                ? expression + ".stream().map(" + member.type().nested().get().name() + "::params).toList()"
                : expression + ".params()";
    }

    private static String waiting(Body params) {
        return params.members().stream()
                .filter(member -> WAITS.containsKey(member.wire()))
                .findFirst()
                .map(member -> "@Override\npublic Duration waits() {\nreturn Duration.ofSeconds(" + member.name()
                        + ".orElse(BigInteger.valueOf(" + WAITS.get(member.wire())
                        + ")).min(BigInteger.valueOf(600)).longValue());\n}\n\n")
                .map(text -> isBig(params)
                        ? text
                        : text.replaceAll("BigInteger\\.valueOf\\((\\d+)\\)", "$1L")
                                .replaceAll(
                                        "(?s)Duration\\.ofSeconds\\((.*)\\.min\\(600L\\)\\.longValue\\(\\)\\)",
                                        "Duration.ofSeconds(Math.min($1, 600L))"))
                .orElse("");
    }

    private static boolean isBig(Body params) {
        return params.members().stream()
                .anyMatch(member -> WAITS.containsKey(member.wire())
                        && member.type().javaType().equals("BigInteger"));
    }

    private static List<Body> nested(Body body) {
        return body.members().stream()
                .flatMap(member -> member.type().nested().stream())
                .toList();
    }

    private static String parameterRecord(Body body) {
        StringBuilder out = new StringBuilder(javadoc("Part of the parameters.", body.members()));
        out.append("public record ")
                .append(body.name())
                .append('(')
                .append(components(body, true))
                .append(") {\n");
        out.append(makers(body)).append(hiding(body));
        out.append("Map<String, Object> params() {\n").append(writing(body)).append("}\n");
        nested(body).forEach(inner -> out.append(parameterRecord(inner)));
        return out.append("}\n\n").toString();
    }

    private static String resultRecord(Body body) {
        String what = body.name().equals("Result") ? "What the method answers." : "Part of the answer.";
        StringBuilder out = new StringBuilder(javadoc(what, body.members()));
        out.append("public record ")
                .append(body.name())
                .append('(')
                .append(components(body, true))
                .append(") {\n");
        out.append("static ").append(body.name()).append(" read(JsonNode json) {\n");
        if (!body.members().isEmpty()) {
            out.append("Answer answer = Answer.of(json);\n");
        }
        out.append("return new ").append(body.name()).append('(');
        out.append(body.members().stream()
                .map(member -> "answer." + (member.required() ? "get" : "optional") + "(\"" + member.wire() + "\", "
                        + member.type().reader() + ")")
                .collect(Collectors.joining(",\n")));
        out.append(");\n}\n\n").append(hiding(body));
        nested(body).forEach(inner -> out.append("\n").append(resultRecord(inner)));
        return out.append("}\n\n").toString();
    }

    private String facade(boolean async) {
        StringBuilder out = new StringBuilder("package org.chainwalletd.client;\n\n");
        StringBuilder body = new StringBuilder();
        String name = async ? "AsyncWalletdMethods" : "WalletdMethods";
        body.append("/** All methods of the daemon, ")
                .append(
                        async
                                ? "each with its answer later. A stage fails with {@link WalletdException}"
                                : "each waiting for its answer. They throw {@link WalletdException}")
                .append(". Made from the method registry. */\n");
        body.append("public interface ").append(name).append(" {\n");
        body.append("/** Calls any method. */\n<R> ")
                .append(async ? "CompletableFuture<R>" : "R")
                .append(" call(Call<R> call);\n\n");
        for (Method method : methods) {
            String result = async ? "CompletableFuture<" + method.resultType() + ">" : method.resultType();
            boolean bare = method.params().members().stream().noneMatch(Member::required);
            body.append("/** ")
                    .append(escaped(sentence(method.summary())))
                    .append(" */\ndefault ")
                    .append(result)
                    .append(' ')
                    .append(method.javaName())
                    .append('(')
                    .append(method.params().name())
                    .append(" call) {\n")
                    .append("return call(call);\n}\n\n");
            if (bare) {
                body.append("/** {@link ")
                        .append(method.params().name())
                        .append("} with nothing but defaults. */\ndefault ")
                        .append(result)
                        .append(' ')
                        .append(method.javaName())
                        .append("() {\nreturn call(")
                        .append(method.params().name())
                        .append(".of());\n}\n\n");
            }
        }
        body.append("}\n");
        Set<String> imports = new TreeSet<>();
        imports.add("import org.chainwalletd.client.method.Call;\n");
        methods.forEach(method -> imports.add(
                "import org.chainwalletd.client.method." + method.params().name() + ";\n"));
        if (async) {
            imports.add("import java.util.concurrent.CompletableFuture;\n");
        }
        if (methods.stream().anyMatch(method -> method.result().isEmpty())) {
            imports.add("import com.fasterxml.jackson.databind.JsonNode;\n");
        }
        return out + String.join("", imports) + "\n" + body;
    }

    private static String sentence(String text) {
        String end = text.endsWith(".") ? "" : ".";
        return text + end;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("@", "&#64;")
                .replace("*/", "*&#47;");
    }

    private static String singular(String plural) {
        if (plural.endsWith("ies")) {
            return plural.substring(0, plural.length() - 3) + "y";
        }
        if (plural.endsWith("sses") || plural.endsWith("xes")) {
            return plural.substring(0, plural.length() - 2);
        }
        return plural.endsWith("s") ? plural.substring(0, plural.length() - 1) : plural + "_item";
    }

    private static String camel(String wire) {
        StringBuilder name = new StringBuilder();
        for (String word : wire.split("[_.]")) {
            name.append(capitalised(word));
        }
        return name.toString();
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    private static String decapitalised(String name) {
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private static java.util.stream.Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
