package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.U64;

/**
 * The parameters of one method, checked and refused as a node's deserialiser does it (chain protocol, section 10.2): named members, or an
 * array in the order of declaration; unknown members are ignored.
 */
public final class Params {
    private static final BigInteger MAX_U32 = BigInteger.valueOf(0xffff_ffffL);

    private final Map<String, Object> values;

    private Params(Map<String, Object> values) {
        this.values = values;
    }

    public enum Type {
        STRING("a string"),
        STRINGS("a sequence"),
        BOOL("a boolean"),
        U64("u64"),
        U32("u32"),
        USIZE("usize");

        private final String expected;

        Type(String expected) {
            this.expected = expected;
        }
    }

    /**
     * @param optional absent and null mean the same: no value
     */
    public record Field(String name, Type type, boolean optional) {}

    /**
     * Parameters of a method.
     *
     * @param name the type name that a node's texts carry
     */
    public record Shape(String name, List<Field> fields) {
        public static Shape of(String name, Field... fields) {
            return new Shape(name, List.of(fields));
        }

        public Params read(JsonNode params) {
            if (params instanceof ObjectNode members) {
                return named(members);
            }
            if (params.isArray()) {
                return positional(params);
            }
            throw wrongType(params, "struct " + name);
        }

        private Params named(ObjectNode members) {
            Map<String, Object> values = new HashMap<>();
            members.properties()
                    .forEach(member -> fields.stream()
                            .filter(field -> field.name().equals(member.getKey()))
                            .forEach(field -> put(values, field, member.getValue())));
            for (Field field : fields) {
                if (!field.optional() && !values.containsKey(field.name())) {
                    throw shape("missing field `" + field.name() + "`");
                }
            }
            return new Params(values);
        }

        private Params positional(JsonNode params) {
            Map<String, Object> values = new HashMap<>();
            for (int i = 0; i < fields.size(); i++) {
                if (i < params.size()) {
                    put(values, fields.get(i), params.get(i));
                } else if (!fields.get(i).optional()) {
                    throw shape("invalid length " + i + ", expected struct " + name + " with " + fields.size()
                            + (fields.size() == 1 ? " element" : " elements"));
                }
            }
            if (params.size() > fields.size()) {
                throw shape("invalid length " + params.size() + ", expected fewer elements in array");
            }
            return new Params(values);
        }
    }

    public String text(String name) {
        return (String) values.get(name);
    }

    public Optional<String> optionalText(String name) {
        return Optional.ofNullable((String) values.get(name));
    }

    public List<String> texts(String name) {
        return values.get(name) instanceof List<?> list
                ? list.stream().map(String.class::cast).toList()
                : List.of();
    }

    /** An unsigned number. */
    public long number(String name) {
        return (Long) values.get(name);
    }

    public OptionalLong optionalNumber(String name) {
        return values.get(name) instanceof Long number ? OptionalLong.of(number) : OptionalLong.empty();
    }

    public Optional<Boolean> flag(String name) {
        return Optional.ofNullable((Boolean) values.get(name));
    }

    private static void put(Map<String, Object> values, Field field, JsonNode value) {
        if (!(field.optional() && value.isNull())) {
            values.put(field.name(), convert(field.type(), value));
        }
    }

    private static Object convert(Type type, JsonNode value) {
        return switch (type) {
            case STRING -> {
                require(value.isTextual(), value, type);
                yield value.textValue();
            }
            case BOOL -> {
                require(value.isBoolean(), value, type);
                yield value.booleanValue();
            }
            case STRINGS -> {
                require(value.isArray(), value, type);
                List<Object> texts = new ArrayList<>();
                value.forEach(element -> texts.add(convert(Type.STRING, element)));
                yield texts;
            }
            case U64, U32, USIZE -> unsigned(type, value);
        };
    }

    private static Object unsigned(Type type, JsonNode value) {
        require(value.isNumber() && Json.isInteger(value), value, type);
        BigInteger number = value.bigIntegerValue();
        BigInteger most = type == Type.U32 ? MAX_U32 : U64.MAX;
        if (number.signum() < 0 || number.compareTo(most) > 0) {
            throw shape("invalid value: integer `" + number + "`, expected " + type.expected);
        }
        return number.longValue();
    }

    private static void require(boolean isOfType, JsonNode value, Type type) {
        if (!isOfType) {
            throw wrongType(value, type.expected);
        }
    }

    private static CallException wrongType(JsonNode value, String expected) {
        return shape("invalid type: " + describe(value) + ", expected " + expected);
    }

    private static String describe(JsonNode value) {
        return switch (value.getNodeType()) {
            case NULL, MISSING -> "null";
            case BOOLEAN -> "boolean `" + value.booleanValue() + "`";
            case STRING -> {
                StringBuilder quoted = new StringBuilder("string ");
                Json.writeString(value.textValue(), quoted);
                yield quoted.toString();
            }
            case NUMBER -> (Json.isInteger(value) ? "integer `" : "floating point `") + Json.number(value) + "`";
            case ARRAY -> "sequence";
            default -> "map";
        };
    }

    private static CallException shape(String detail) {
        return CallException.invalid("Invalid params: " + detail);
    }
}
