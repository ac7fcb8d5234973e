package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.SecretBytes;

/** How a JSON value becomes a value of each type that a parameter can have. */
final class ParamTypes {
    private static final long U32_MAX = 0xFFFF_FFFFL;

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
                    ParamTypes::smallInteger, true, OptionalInt.empty(), value -> OptionalInt.of((Integer) value));
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
        if (plain == String.class) {
            if (names.stream().anyMatch(MemberNames.SECRETS::contains)) {
                throw new IllegalArgumentException("a secret must not be a String: " + names);
            }
            return ParamTypes::text;
        }
        if (plain == SecretBytes.class) {
            if (!MemberNames.SECRETS.containsAll(names)) {
                throw new IllegalArgumentException("the reader would make a String of a secret called " + names);
            }
            return ParamTypes::secret;
        }
        if (plain.isEnum()) {
            return enumeration(plain);
        }
        if (plain.isRecord() && plain != Amount.class) {
            ParamBinder<?> binder = ParamBinder.of(plain.asSubclass(Record.class));
            return (value, path) -> {
                if (!value.isObject()) {
                    throw wrong(path, "an object");
                }
                return binder.bindMembers(value, path + ".");
            };
        }
        return simple(plain);
    }

    private static Reader simple(Class<?> type) {
        if (type == Address.class) {
            return (value, path) -> Address.parse(hex64(value, path));
        }
        if (type == Hash256.class) {
            return (value, path) -> Hash256.parse(hex64(value, path));
        }
        if (type == PublicKey.class) {
            return (value, path) -> PublicKey.parse(hex64(value, path));
        }
        if (type == Ed25519Signature.class) {
            return (value, path) -> Ed25519Signature.parse(hex(value, path, 128));
        }
        if (type == Bytes.class) {
            return ParamTypes::bytes;
        }
        if (type == Amount.class) {
            return (value, path) -> Amount.ofUnsigned(u64(value, path));
        }
        if (type == Boolean.TYPE || type == Boolean.class) {
            return ParamTypes::truth;
        }
        if (type == Integer.TYPE || type == Integer.class) {
            return ParamTypes::smallInteger;
        }
        if (type == JsonNode.class) {
            return (value, path) -> value;
        }
        throw new IllegalArgumentException("not a parameter type: " + type);
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
        return u32 ? ParamTypes::u32 : (value, path) -> u64(value, path);
    }

    private static long u64(JsonNode value, String path) {
        if (value.isIntegralNumber()) {
            if (!value.isBigInteger()) {
                if (value.longValue() >= 0) {
                    return value.longValue();
                }
            } else {
                BigInteger number = value.bigIntegerValue();
                if (number.signum() >= 0 && number.bitLength() <= 64) {
                    return U64.fromBigInteger(number);
                }
            }
        }
        throw wrong(path, "an integer from 0 to 18446744073709551615");
    }

    private static Object u32(JsonNode value, String path) {
        if (value.isIntegralNumber()
                && !value.isBigInteger()
                && value.longValue() >= 0
                && value.longValue() <= U32_MAX) {
            return value.longValue();
        }
        throw wrong(path, "an integer from 0 to 4294967295");
    }

    private static Object smallInteger(JsonNode value, String path) {
        if (value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 0) {
            return value.intValue();
        }
        throw wrong(path, "an integer from 0 to 2147483647");
    }

    private static Object truth(JsonNode value, String path) {
        if (!value.isBoolean()) {
            throw wrong(path, "true or false");
        }
        return value.booleanValue();
    }

    private static String text(JsonNode value, String path) {
        if (!value.isTextual()) {
            throw wrong(path, "a string");
        }
        return value.textValue();
    }

    /** A string, or an array of words that are joined with single spaces. */
    private static Object secret(JsonNode value, String path) {
        if (value.isBinary()) {
            return SecretBytes.copyOf(((BinaryNode) value).binaryValue());
        }
        if (!value.isArray() || value.isEmpty()) {
            throw wrong(path, "a string");
        }
        int length = value.size() - 1;
        for (JsonNode word : value) {
            if (!word.isBinary()) {
                throw wrong(path, "a string or an array of strings");
            }
            length += ((BinaryNode) word).binaryValue().length;
        }
        byte[] joined = new byte[length];
        int at = 0;
        for (int i = 0; i < value.size(); i++) {
            if (i > 0) {
                joined[at++] = ' ';
            }
            byte[] letters = ((BinaryNode) value.get(i)).binaryValue();
            System.arraycopy(letters, 0, joined, at, letters.length);
            at += letters.length;
        }
        return SecretBytes.takeOver(joined);
    }

    private static String hex64(JsonNode value, String path) {
        return hex(value, path, 64);
    }

    private static String hex(JsonNode value, String path, int length) {
        if (!value.isTextual()) {
            throw wrong(path, "a string of " + length + " hex characters");
        }
        String hex = value.textValue();
        if (hex.length() != length) {
            throw RpcException.invalidParams(
                    "parameter `" + path + "` must be " + length + " hex characters, got " + hex.length());
        }
        refuseOtherThanHex(hex, path);
        return hex;
    }

    private static Object bytes(JsonNode value, String path) {
        if (!value.isTextual()) {
            throw wrong(path, "a string of hex characters");
        }
        String hex = value.textValue();
        if (hex.length() % 2 != 0) {
            throw RpcException.invalidParams(
                    "parameter `" + path + "` must have an even number of hex characters, got " + hex.length());
        }
        refuseOtherThanHex(hex, path);
        return Bytes.parse(hex);
    }

    private static void refuseOtherThanHex(String hex, String path) {
        for (int i = 0; i < hex.length(); i++) {
            if (Character.digit(hex.charAt(i), 16) < 0 || hex.charAt(i) > 'f') {
                throw RpcException.invalidParams(
                        "parameter `" + path + "` must be hex characters only; character " + (i + 1) + " is not");
            }
        }
    }

    private static List<Object> list(JsonNode value, String path, Reader item) {
        if (!value.isArray()) {
            throw wrong(path, "an array");
        }
        List<Object> items = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            JsonNode element = value.get(i);
            String elementPath = path + "[" + i + "]";
            if (element.isNull()) {
                throw wrong(elementPath, "a value, not null");
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
            throw wrong(path, "a value or an array of at least one");
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
                throw wrong(path, "one of " + words);
            }
            return constant;
        };
    }

    private static RpcException wrong(String path, String expected) {
        return RpcException.invalidParams("parameter `" + path + "` must be " + expected);
    }
}
