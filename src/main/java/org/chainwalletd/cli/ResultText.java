package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.MemberNames;
import org.chainwalletd.wire.OneOrMore;

/** Formatter of call results for a terminal: as JSON or as a table, amounts in base units or in coins. */
final class ResultText {
    /** Decimal places of a coin: 1 coin = 100,000,000 base units. */
    private static final int COIN_DIGITS = 8;

    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN);

    private ResultText() {}

    /** Formats JSON on several lines, or on one. */
    static List<String> json(JsonNode result, boolean oneLine) throws JsonProcessingException {
        String json = (oneLine ? JSON.writer() : JSON.writerWithDefaultPrettyPrinter()).writeValueAsString(result);
        // JSON allows some terminal control characters unescaped in strings; escaping them does not change the JSON
        // value.
        return printable(json.lines().toList());
    }

    private static List<String> printable(List<String> lines) {
        return lines.stream().map(Printable::text).toList();
    }

    /**
     * Returns the result with amounts of the chain in coins, with all eight decimals. Numbers of other units, such as wei, are unchanged.
     *
     * @param type type of the result, which determines what is an amount
     */
    static JsonNode inCoins(JsonNode value, Type type) {
        if (type instanceof ParameterizedType generic) {
            Type item = generic.getActualTypeArguments()[0];
            boolean holds = List.of(Optional.class, List.class, OneOrMore.class).contains(generic.getRawType());
            if (holds && value instanceof ArrayNode array) {
                ArrayNode changed = array.arrayNode();
                array.forEach(each -> changed.add(inCoins(each, item)));
                return changed;
            }
            return holds ? inCoins(value, item) : value;
        }
        if (type == Amount.class && value.isIntegralNumber()) {
            return DecimalNode.valueOf(new BigDecimal(value.bigIntegerValue(), COIN_DIGITS));
        }
        if (!(type instanceof Class<?> plain) || !(value instanceof ObjectNode object)) {
            return value;
        }
        Map<String, Type> members = membersOf(plain);
        ObjectNode changed = object.objectNode();
        object.properties().forEach(member -> {
            Type known = members.get(member.getKey());
            changed.set(member.getKey(), known == null ? member.getValue() : inCoins(member.getValue(), known));
        });
        return changed;
    }

    /** Types of an object's members by name; for alternatives, those of all of them. */
    private static Map<String, Type> membersOf(Class<?> type) {
        Map<String, Type> members = new LinkedHashMap<>();
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (component.isAnnotationPresent(Inline.class)) {
                    members.putAll(membersOf(component.getType()));
                } else {
                    members.put(MemberNames.snakeCase(component.getName()), component.getGenericType());
                }
            }
        } else if (type.isSealed()) {
            for (Class<?> choice : type.getPermittedSubclasses()) {
                membersOf(choice).forEach(members::putIfAbsent);
            }
        }
        return members;
    }

    /** Formats the members of the result in two columns, followed by a table for each list of objects. */
    static List<String> table(JsonNode result) {
        List<String> lines = new ArrayList<>();
        Map<String, JsonNode> plain = new LinkedHashMap<>();
        Map<String, ArrayNode> lists = new LinkedHashMap<>();
        if (result.isObject()) {
            flatten("", result, plain, lists);
        } else if (isListOfObjects(result)) {
            lists.put("", (ArrayNode) result);
        } else {
            lines.add(cell(result));
        }
        List<List<String>> pairs = new ArrayList<>();
        plain.forEach((name, value) -> pairs.add(List.of(name, cell(value))));
        lines.addAll(aligned(pairs, Set.of()));
        lists.forEach((name, rows) -> {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            if (!name.isEmpty()) {
                lines.add(name + ":");
            }
            lines.addAll(rows(rows));
        });
        return printable(lines);
    }

    private static void flatten(
            String prefix, JsonNode object, Map<String, JsonNode> plain, Map<String, ArrayNode> lists) {
        object.properties().forEach(member -> {
            String name = prefix + member.getKey();
            if (member.getValue().isObject() && !member.getValue().isEmpty()) {
                flatten(name + ".", member.getValue(), plain, lists);
            } else if (isListOfObjects(member.getValue())) {
                lists.put(name, (ArrayNode) member.getValue());
            } else {
                plain.put(name, member.getValue());
            }
        });
    }

    private static boolean isListOfObjects(JsonNode value) {
        return value.isArray() && !value.isEmpty() && value.get(0).isObject();
    }

    private static List<String> rows(ArrayNode objects) {
        List<Map<String, JsonNode>> flat = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode object : objects) {
            Map<String, JsonNode> members = new LinkedHashMap<>();
            Map<String, ArrayNode> inside = new LinkedHashMap<>();
            flatten("", object, members, inside);
            members.putAll(inside);
            flat.add(members);
            names.addAll(members.keySet());
        }
        List<String> columns = List.copyOf(names);
        List<List<String>> cells = new ArrayList<>();
        cells.add(columns);
        flat.forEach(members ->
                cells.add(columns.stream().map(name -> cell(members.get(name))).toList()));
        Set<Integer> numbers = new LinkedHashSet<>();
        for (int column = 0; column < columns.size(); column++) {
            String name = columns.get(column);
            if (flat.stream()
                    .allMatch(members ->
                            !members.containsKey(name) || members.get(name).isNumber())) {
                numbers.add(column);
            }
        }
        return aligned(cells, numbers);
    }

    private static String cell(JsonNode value) {
        if (value == null || value.isNull() || value.isContainerNode() && value.isEmpty()) {
            return "-";
        }
        if (value.isBigDecimal()) {
            return value.decimalValue().toPlainString();
        }
        if (value.isArray() && list(value).stream().noneMatch(JsonNode::isContainerNode)) {
            return String.join(", ", list(value).stream().map(JsonNode::asText).toList());
        }
        return value.isContainerNode() ? value.toString() : value.asText();
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> items = new ArrayList<>();
        array.forEach(items::add);
        return items;
    }

    /** @param right right-aligned columns */
    private static List<String> aligned(List<List<String>> rows, Set<Integer> right) {
        int[] widths = new int[rows.isEmpty() ? 0 : rows.get(0).size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = row.get(column);
                String blank = " ".repeat(widths[column] - cell.length());
                line.append(right.contains(column) ? blank + cell : cell + blank)
                        .append("  ");
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
