package org.chainwalletd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Binds a JSON object to a record. Created once per record type.
 *
 * <p>A member's name is its component's name in snake case. Component types: {@code Address}, {@code Hash256}, {@code PublicKey} (hex64 of either
 * case), {@code Ed25519Signature} (hex128), {@code Bytes} (hex), {@code Amount} and {@code long} (u64; {@link U32} u32, {@link I64} signed),
 * {@code int} (0 … 2^31-1), {@code boolean}, {@code String}, enums (lower-case name), {@code SecretBytes}, {@code JsonNode} (any value,
 * unchanged), {@code Map<String, JsonNode>} (an object), nested records, {@code List}s of these, or {@link OneOrMore} of them. The members
 * of an {@link Inline} record are members of the enclosing object.
 * An {@code Optional<T>}, {@code OptionalLong} or {@code OptionalInt} is empty when the member is absent or null; a component that is a
 * {@code Long}, {@code Integer} or {@code Boolean}, or is marked {@link MaybeAbsent} or {@link OrNull}, is null then.
 *
 * @param <T> the record
 */
public final class Binder<T extends Record> {
    private static final JsonNode NO_MEMBERS = JsonNodeFactory.instance.objectNode();

    /** Strictness of binding. */
    private enum Profile {
        /** A request's parameters: unknown members are refused, aliases are accepted. */
        STRICT,
        /** An answer of a daemon that may be newer: unknown members are skipped. */
        LENIENT
    }

    private final Profile profile;
    private final Component[] components;
    private final Map<String, Component> byName = new HashMap<>();
    private final Maker maker;

    private Binder(Class<T> type, Profile profile) {
        this.profile = profile;
        List<Component> found = new ArrayList<>();
        maker = Maker.of(type, profile, found);
        components = found.toArray(Component[]::new);
        for (Component component : components) {
            for (String name : component.names) {
                if (byName.put(name, component) != null) {
                    throw new IllegalArgumentException("two members of " + type + " are called " + name);
                }
            }
        }
    }

    /**
     * Creates a binder for the parameters of requests, which refuses unknown members.
     *
     * @throws IllegalArgumentException when a component has a type that no member can have
     */
    public static <T extends Record> Binder<T> strict(Class<T> type) {
        return new Binder<>(type, Profile.STRICT);
    }

    /**
     * Creates a binder for results on the client's side, which skips unknown members.
     *
     * @throws IllegalArgumentException when a component has a type that no member can have
     */
    public static <T extends Record> Binder<T> lenient(Class<T> type) {
        return new Binder<>(type, Profile.LENIENT);
    }

    /**
     * Binds an object.
     *
     * @param object a JSON object; null or an empty array counts as an empty object
     * @throws WireException when it is not an object, or a member is missing, malformed, out of range or (in parameters) unknown
     */
    public T bind(JsonNode object) {
        if (object == null || object.isNull() || (object.isArray() && object.isEmpty())) {
            return bindMembers(NO_MEMBERS, "");
        }
        if (profile == Profile.LENIENT && !object.isObject()) {
            throw new WireException("an object was expected, not " + object.getNodeType());
        }
        if (object.isArray()) {
            throw new WireException("params must be an object with named members, not an array");
        }
        if (!object.isObject()) {
            throw new WireException("params must be an object");
        }
        return bindMembers(object, "");
    }

    /** @param path prefix of the members' full names: empty, or ending in a dot */
    private T bindMembers(JsonNode members, String path) {
        if (profile == Profile.STRICT && members.size() > 0) {
            refuseUnknown(members, path);
        }
        Object[] values = new Object[components.length];
        int bound = 0;
        try {
            for (; bound < components.length; bound++) {
                values[bound] = components[bound].read(members, path);
            }
        } catch (WireException e) {
            for (int i = 0; i < bound; i++) {
                closeSecrets(values[i]);
            }
            throw e;
        }
        return construct(values);
    }

    @SuppressWarnings("unchecked") // the maker makes a T
    private T construct(Object[] values) {
        return (T) maker.make(values, new int[1]);
    }

    private void refuseUnknown(JsonNode members, String path) {
        for (Iterator<String> names = members.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!byName.containsKey(name)) {
                throw new WireException("unknown ", path + shortened(name), "; " + known());
            }
        }
    }

    private String known() {
        if (components.length == 0) {
            return "there are none";
        }
        return "known are "
                + String.join(
                        ", ", Arrays.stream(components).map(c -> c.names.get(0)).toList());
    }

    private static String shortened(String name) {
        return name.length() <= 64 ? name : name.substring(0, 64) + "…";
    }

    private static void closeSecrets(Object value) {
        if (value instanceof SecretBytes secret) {
            secret.close();
        }
        if (value instanceof Optional<?> optional) {
            optional.ifPresent(Binder::closeSecrets);
        }
    }

    /**
     * Creates a record from the bound values.
     *
     * @param inlined element {@code i} makes the record's component {@code i} if that is inlined; otherwise null
     * @param plain whether no component is inlined
     */
    private record Maker(MethodHandle constructor, Maker[] inlined, boolean plain) {
        /** @param found receives the components from whose values the record is made, in order */
        static Maker of(Class<?> type, Profile profile, List<Component> found) {
            RecordComponent[] declared = type.getRecordComponents();
            Maker[] inlined = new Maker[declared.length];
            boolean plain = true;
            for (int i = 0; i < declared.length; i++) {
                if (declared[i].isAnnotationPresent(Inline.class)) {
                    inlined[i] = of(declared[i].getType(), profile, found);
                    plain = false;
                } else {
                    found.add(Component.of(declared[i], profile));
                }
            }
            return new Maker(constructorOf(type, declared), inlined, plain);
        }

        /** @param at index of the record's first value; advanced past its last one */
        Object make(Object[] values, int[] at) {
            if (plain && values.length == inlined.length) {
                return construct(constructor, values);
            }
            Object[] own = new Object[inlined.length];
            for (int i = 0; i < own.length; i++) {
                own[i] = inlined[i] == null ? values[at[0]++] : inlined[i].make(values, at);
            }
            return construct(constructor, own);
        }
    }

    /** Returns the canonical constructor of a record, which takes its values in one array, see {@link #construct(MethodHandle, Object[])}. */
    public static MethodHandle constructorOf(Class<?> type, RecordComponent[] declared) {
        Class<?>[] types = Arrays.stream(declared).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findConstructor(type, MethodType.methodType(void.class, types))
                    .asSpreader(Object[].class, types.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no canonical constructor in " + type, e);
        }
    }

    public static Object construct(MethodHandle constructor, Object[] values) {
        try {
            return constructor.invokeExact(values);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the constructor of a record threw a checked exception", e);
        }
    }

    /**
     * Member of an object, with its names and the reader of its value.
     *
     * @param optional whether it may be missing or null
     * @param empty the component's value if the member is missing or null
     * @param wrapper converts the value read to the component's value; null when they are the same
     */
    private record Component(
            List<String> names,
            WireValue.Reader reader,
            boolean optional,
            Object empty,
            Function<Object, Object> wrapper) {
        static Component of(RecordComponent declared, Profile profile) {
            List<String> names = new ArrayList<>();
            names.add(MemberNames.snakeCase(declared.getName()));
            Alias alias = declared.getAnnotation(Alias.class);
            if (alias != null && profile == Profile.STRICT) {
                names.addAll(List.of(alias.value()));
            }
            Class<?> type = declared.getType();
            if (type == OptionalLong.class) {
                WireValue.Reader number = readerOf(Long.class, declared, names, profile);
                return new Component(names, number, true, OptionalLong.empty(), value -> OptionalLong.of((Long) value));
            }
            if (type == OptionalInt.class) {
                WireValue.Reader number = readerOf(Integer.class, declared, names, profile);
                return new Component(
                        names, number, true, OptionalInt.empty(), value -> OptionalInt.of((Integer) value));
            }
            if (type == Optional.class) {
                WireValue.Reader content = readerOf(argument(declared.getGenericType()), declared, names, profile);
                return new Component(names, content, true, Optional.empty(), Optional::of);
            }
            WireValue.Reader reader = readerOf(declared.getGenericType(), declared, names, profile);
            return new Component(names, reader, Shapes.mayBeMissing(declared), null, null);
        }

        Object read(JsonNode members, String path) {
            JsonNode value = members.get(names.get(0));
            String name = names.get(0);
            for (int i = 1; i < names.size(); i++) {
                JsonNode other = members.get(names.get(i));
                if (other != null && value != null) {
                    throw new WireException(
                            "`" + path + name + "` and `" + path + names.get(i) + "` are the same parameter; give one");
                }
                if (other != null) {
                    value = other;
                    name = names.get(i);
                }
            }
            if (value != null && !value.isNull()) {
                Object read = reader.read(value, path + name);
                return wrapper == null ? read : wrapper.apply(read);
            }
            if (!optional) {
                throw WireException.missing(path + names.get(0));
            }
            return empty;
        }
    }

    /**
     * @param declared component whose annotations decide between number types
     * @param names all spellings of the component
     * @throws IllegalArgumentException for a type that no member can have
     */
    private static WireValue.Reader readerOf(Type type, RecordComponent declared, List<String> names, Profile profile) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            WireValue.Reader item = readerOf(argument(type), declared, names, profile);
            return (value, path) -> list(value, path, item);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == OneOrMore.class) {
            WireValue.Reader item = readerOf(argument(type), declared, names, profile);
            return (value, path) -> oneOrMore(value, path, item);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
            return Binder::object;
        }
        if (!(type instanceof Class<?> plain)) {
            throw new IllegalArgumentException("not a type of a member: " + type);
        }
        if (plain == Long.TYPE || plain == Long.class) {
            return declared.isAnnotationPresent(U32.class)
                    ? WireValue::u32
                    : declared.isAnnotationPresent(I64.class) ? WireValue::i64 : WireValue::u64;
        }
        if (plain == SecretBytes.class && profile == Profile.LENIENT) {
            return WireValue::secretText;
        }
        if (profile == Profile.STRICT) {
            refuseSecretsAsText(plain, names);
        }
        if (plain == JsonNode.class) {
            return (value, path) -> value;
        }
        if (plain == RawJson.class) {
            return (value, path) -> new RawJson(value.toString());
        }
        if (plain.isEnum()) {
            return enumeration(plain);
        }
        if (plain.isRecord() && plain != Amount.class) {
            Binder<?> binder = new Binder<>(plain.asSubclass(Record.class), profile);
            return (value, path) -> {
                if (!value.isObject()) {
                    throw WireException.wrong(path, "an object");
                }
                return binder.bindMembers(value, path + ".");
            };
        }
        return WireValue.of(plain)
                .<WireValue.Reader>map(WireValue::reader)
                .orElseThrow(() -> new IllegalArgumentException("not a type of a member: " + type));
    }

    /** Refuses a component that would hold a secret as text: the request reader keeps only the members in {@link MemberNames#SECRETS} as bytes. */
    private static void refuseSecretsAsText(Class<?> type, List<String> names) {
        if (type == String.class && names.stream().anyMatch(MemberNames.SECRETS::contains)) {
            throw new IllegalArgumentException("a secret must not be a String: " + names);
        }
        if (type == SecretBytes.class && !MemberNames.SECRETS.containsAll(names)) {
            throw new IllegalArgumentException("the reader would make a String of a secret called " + names);
        }
    }

    private static Type argument(Type type) {
        return ((ParameterizedType) type).getActualTypeArguments()[0];
    }

    /** Reads an object whose members are not declared. */
    private static Map<String, JsonNode> object(JsonNode value, String path) {
        if (!value.isObject()) {
            throw WireException.wrong(path, "an object");
        }
        Map<String, JsonNode> members = new LinkedHashMap<>();
        value.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
        return members;
    }

    private static List<Object> list(JsonNode value, String path, WireValue.Reader item) {
        if (!value.isArray()) {
            throw WireException.wrong(path, "an array");
        }
        List<Object> items = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            JsonNode element = value.get(i);
            String elementPath = path + "[" + i + "]";
            if (element.isNull()) {
                throw WireException.wrong(elementPath, "a value, not null");
            }
            items.add(item.read(element, elementPath));
        }
        return List.copyOf(items);
    }

    private static OneOrMore<Object> oneOrMore(JsonNode value, String path, WireValue.Reader item) {
        if (!value.isArray()) {
            return new OneOrMore<>(List.of(item.read(value, path)));
        }
        if (value.isEmpty()) {
            throw WireException.wrong(path, "a value or an array of at least one");
        }
        return new OneOrMore<>(list(value, path, item));
    }

    private static WireValue.Reader enumeration(Class<?> type) {
        Map<String, Object> byWord = new HashMap<>();
        for (Object constant : type.getEnumConstants()) {
            byWord.put(MemberNames.word((Enum<?>) constant), constant);
        }
        String words = String.join(
                ", ",
                Arrays.stream(type.getEnumConstants())
                        .map(constant -> MemberNames.word((Enum<?>) constant))
                        .toList());
        return (value, path) -> {
            Object constant = value.isTextual() ? byWord.get(value.textValue()) : null;
            if (constant == null) {
                throw WireException.wrong(path, "one of " + words);
            }
            return constant;
        };
    }
}
