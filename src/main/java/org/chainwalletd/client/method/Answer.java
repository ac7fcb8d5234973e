package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads the members of a JSON object. What is missing or of another type is an {@link IllegalArgumentException} that names it. */
final class Answer {
    private static final BigInteger U64_MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private final JsonNode object;

    private Answer(JsonNode object) {
        this.object = object;
    }

    static Answer of(JsonNode object) {
        if (!object.isObject()) {
            throw new IllegalArgumentException("an object was expected, not " + object.getNodeType());
        }
        return new Answer(object);
    }

    /** A member that is always there. */
    <T> T get(String name, Function<JsonNode, T> type) {
        return optional(name, type)
                .orElseThrow(() -> new IllegalArgumentException("the member `" + name + "` is missing"));
    }

    /** Empty when the member is missing or null. */
    <T> Optional<T> optional(String name, Function<JsonNode, T> type) {
        JsonNode value = object.get(name);
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        try {
            return Optional.of(type.apply(value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("in `" + name + "`: " + e.getMessage(), e);
        }
    }

    static <T> Function<JsonNode, List<T>> list(Function<JsonNode, T> item) {
        return array -> {
            List<T> items = new ArrayList<>();
            expect(array.isArray(), "an array", array).forEach(element -> items.add(item.apply(element)));
            return List.copyOf(items);
        };
    }

    static String text(JsonNode value) {
        return expect(value.isTextual(), "a string", value).textValue();
    }

    static Boolean truth(JsonNode value) {
        return expect(value.isBoolean(), "true or false", value).booleanValue();
    }

    static Integer int32(JsonNode value) {
        return expect(value.isIntegralNumber() && value.canConvertToInt(), "an integer of 32 bits", value)
                .intValue();
    }

    static Long int64(JsonNode value) {
        return expect(value.isIntegralNumber() && value.canConvertToLong(), "an integer of 64 bits", value)
                .longValue();
    }

    /** An unsigned integer of 64 bits. */
    static BigInteger u64(JsonNode value) {
        boolean fits = value.isIntegralNumber()
                && value.bigIntegerValue().signum() >= 0
                && value.bigIntegerValue().compareTo(U64_MAX) <= 0;
        return expect(fits, "an unsigned integer of 64 bits", value).bigIntegerValue();
    }

    /** A value of no fixed form. */
    static JsonNode any(JsonNode value) {
        return value;
    }

    private static JsonNode expect(boolean holds, String what, JsonNode value) {
        if (!holds) {
            throw new IllegalArgumentException(what + " was expected, not " + value.getNodeType());
        }
        return value;
    }
}
