package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.MemberNames;
import org.chainwalletd.wire.U32;

/** How a JSON value becomes a value of each type that a parameter can have: a {@link WireValue}, or made of such. */
final class ParamTypes {
    private ParamTypes() {}

    /** Reads a value that is there and not null. */
    @FunctionalInterface
    interface Reader {
        /**
         * @param path the member's full name, for messages
         * @throws RpcException -32602
         */
        Object read(JsonNode value, String path);
    }

    /** Reads a member that may be missing. */
    record Reading(Reader reader, boolean optional, Object empty, Function<Object, Object> wrapper) {
        Object absent(String path) {
            if (!optional) {
                throw RpcException.invalidParams("missing parameter `" + path + "`");
            }
            return empty;
        }

        Object present(JsonNode value, String path) {
            Object read = reader.read(value, path);
            return wrapper == null ? read : wrapper.apply(read);
        }
    }

    /**
     * @param names all spellings of the component
     * @throws IllegalArgumentException for a type that no parameter can have
     */
    static Reading of(RecordComponent component, List<String> names) {
        boolean u32 = component.isAnnotationPresent(U32.class);
        Class<?> type = component.getType();
        if (type == OptionalLong.class) {
            return new Reading(unsigned(u32), true, OptionalLong.empty(), value -> OptionalLong.of((Long) value));
        }
        if (type == OptionalInt.class) {
            return new Reading(
                    WireValue.of(Integer.class).orElseThrow().reader(),
                    true,
                    OptionalInt.empty(),
                    value -> OptionalInt.of((Integer) value));
        }
        if (type == Optional.class) {
            Reader content = reader(argument(component.getGenericType()), u32, names);
            return new Reading(content, true, Optional.empty(), Optional::of);
        }
        return new Reading(reader(component.getGenericType(), u32, names), false, null, null);
    }

    private static Reader reader(Type type, boolean u32, List<String> names) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            Reader item = reader(argument(type), u32, names);
            return (value, path) -> list(value, path, item);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == OneOrMore.class) {
            Reader item = reader(argument(type), u32, names);
            return (value, path) -> oneOrMore(value, path, item);
        }
        if (!(type instanceof Class<?> plain)) {
            throw new IllegalArgumentException("not a parameter type: " + type);
        }
        if (plain == Long.TYPE || plain == Long.class) {
            return unsigned(u32);
        }
        if (plain == String.class && names.stream().anyMatch(MemberNames.SECRETS::contains)) {
            throw new IllegalArgumentException("a secret must not be a String: " + names);
        }
        if (plain == SecretBytes.class && !MemberNames.SECRETS.containsAll(names)) {
            throw new IllegalArgumentException("the reader would make a String of a secret called " + names);
        }
        if (plain == JsonNode.class) {
            return (value, path) -> value;
        }
        if (plain.isEnum()) {
            return enumeration(plain);
        }
        if (plain.isRecord() && plain != Amount.class) {
            ParamBinder<?> binder = ParamBinder.of(plain.asSubclass(Record.class));
            return (value, path) -> {
                if (!value.isObject()) {
                    throw WireValue.wrong(path, "an object");
                }
                return binder.bindMembers(value, path + ".");
            };
        }
        return WireValue.of(plain)
                .<Reader>map(WireValue::reader)
                .orElseThrow(() -> new IllegalArgumentException("not a parameter type: " + type));
    }

    /** Overwrites what was bound when the binding is given up. */
    static void discard(Object value) {
        if (value instanceof SecretBytes secret) {
            secret.close();
        }
        if (value instanceof Optional<?> optional) {
            optional.ifPresent(ParamTypes::discard);
        }
    }

    private static Type argument(Type type) {
        return ((ParameterizedType) type).getActualTypeArguments()[0];
    }

    private static Reader unsigned(boolean u32) {
        return u32 ? WireValue::u32 : WireValue.of(Long.class).orElseThrow().reader();
    }

    private static List<Object> list(JsonNode value, String path, Reader item) {
        if (!value.isArray()) {
            throw WireValue.wrong(path, "an array");
        }
        List<Object> items = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            JsonNode element = value.get(i);
            String elementPath = path + "[" + i + "]";
            if (element.isNull()) {
                throw WireValue.wrong(elementPath, "a value, not null");
            }
            items.add(item.read(element, elementPath));
        }
        return List.copyOf(items);
    }

    private static OneOrMore<Object> oneOrMore(JsonNode value, String path, Reader item) {
        if (!value.isArray()) {
            return new OneOrMore<>(List.of(item.read(value, path)));
        }
        if (value.isEmpty()) {
            throw WireValue.wrong(path, "a value or an array of at least one");
        }
        return new OneOrMore<>(list(value, path, item));
    }

    private static Reader enumeration(Class<?> type) {
        Map<String, Object> byWord = new HashMap<>();
        for (Object constant : type.getEnumConstants()) {
            byWord.put(WireTypes.word((Enum<?>) constant), constant);
        }
        String words = String.join(
                ", ",
                Arrays.stream(type.getEnumConstants())
                        .map(constant -> WireTypes.word((Enum<?>) constant))
                        .toList());
        return (value, path) -> {
            Object constant = value.isTextual() ? byWord.get(value.textValue()) : null;
            if (constant == null) {
                throw WireValue.wrong(path, "one of " + words);
            }
            return constant;
        };
    }
}
