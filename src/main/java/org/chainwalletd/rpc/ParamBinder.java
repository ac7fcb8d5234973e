package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.MemberNames;

/**
 * Turns the {@code params} object of a request into a parameter record. Made once per record type.
 *
 * <p>Component types: {@code Address}, {@code Hash256}, {@code PublicKey} (hex64 of either case), {@code Ed25519Signature} (hex128), {@code Bytes} (hex), {@code Amount} and
 * {@code long} (u64; {@code @U32 long} u32), {@code int} (0 … 2^31-1), {@code boolean}, {@code String}, enums (lower-case name),
 * {@code SecretBytes}, {@code JsonNode} (any value as it is), nested records, and {@code List}s of these, or {@link OneOrMore} of them. The members of a record that is
 * {@link Inline} stand beside the others. {@code Optional<T>},
 * {@code OptionalLong} and {@code OptionalInt} make a parameter optional: absent or null is empty. Anything else that is missing, of a wrong
 * shape, out of range or unknown is refused with -32602 and a message that names the member.
 *
 * @param <P> the record
 */
public final class ParamBinder<P extends Record> {
    private static final JsonNode NO_MEMBERS = JsonNodeFactory.instance.objectNode();

    private final Component[] components;
    private final Map<String, Component> byName = new HashMap<>();
    private final Maker maker;

    private ParamBinder(Class<P> type) {
        List<Component> found = new ArrayList<>();
        maker = Maker.of(type, found);
        components = found.toArray(Component[]::new);
        for (Component component : components) {
            for (String name : component.names) {
                if (byName.put(name, component) != null) {
                    throw new IllegalArgumentException("two parameters of " + type + " are called " + name);
                }
            }
        }
    }

    /**
     * @throws IllegalArgumentException when a component has a type that no parameter can have
     */
    public static <P extends Record> ParamBinder<P> of(Class<P> type) {
        return new ParamBinder<>(type);
    }

    /**
     * @param params an object, or null for no parameters
     * @throws RpcException -32602
     */
    public P bind(JsonNode params) {
        if (params == null || params.isNull() || (params.isArray() && params.isEmpty())) {
            return bindMembers(NO_MEMBERS, "");
        }
        if (params.isArray()) {
            throw RpcException.invalidParams("params must be an object with named members, not an array");
        }
        if (!params.isObject()) {
            throw RpcException.invalidParams("params must be an object");
        }
        return bindMembers(params, "");
    }

    /**
     * @param path of {@code members} within the parameters: empty, or ending in a dot
     */
    P bindMembers(JsonNode members, String path) {
        if (members.size() > 0) {
            refuseUnknown(members, path);
        }
        Object[] values = new Object[components.length];
        int bound = 0;
        try {
            for (; bound < components.length; bound++) {
                values[bound] = components[bound].read(members, path);
            }
        } catch (RpcException e) {
            closeSecrets(values, bound);
            throw e;
        }
        return construct(values);
    }

    @SuppressWarnings("unchecked") // the maker makes a P
    private P construct(Object[] values) {
        return (P) maker.make(values, new int[1]);
    }

    private void refuseUnknown(JsonNode members, String path) {
        for (Iterator<String> names = members.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!byName.containsKey(name)) {
                throw RpcException.invalidParams("unknown parameter `" + path + shortened(name) + "`; " + known());
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

    private static void closeSecrets(Object[] values, int bound) {
        for (int i = 0; i < bound; i++) {
            ParamTypes.discard(values[i]);
        }
    }

    /**
     * Makes a record of the bound values.
     *
     * @param inlined in the places of the record's components that are inlined, null in the others
     * @param plain whether none is inlined
     */
    private record Maker(MethodHandle constructor, Maker[] inlined, boolean plain) {
        /**
         * @param found gets the components whose values the record is made of, in their order
         */
        static Maker of(Class<?> type, List<Component> found) {
            RecordComponent[] declared = type.getRecordComponents();
            Maker[] inlined = new Maker[declared.length];
            boolean plain = true;
            for (int i = 0; i < declared.length; i++) {
                if (declared[i].isAnnotationPresent(Inline.class)) {
                    inlined[i] = of(declared[i].getType(), found);
                    plain = false;
                } else {
                    found.add(Component.of(declared[i]));
                }
            }
            return new Maker(constructorOf(type, declared), inlined, plain);
        }

        /**
         * @param at index of the first of its values, moved past the last one
         */
        Object make(Object[] values, int[] at) {
            if (plain && values.length == inlined.length) {
                return made(values);
            }
            Object[] own = new Object[inlined.length];
            for (int i = 0; i < own.length; i++) {
                own[i] = inlined[i] == null ? values[at[0]++] : inlined[i].make(values, at);
            }
            return made(own);
        }

        private Object made(Object[] values) {
            try {
                return constructor.invokeExact(values);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException("a parameter record threw a checked exception", e);
            }
        }
    }

    private static MethodHandle constructorOf(Class<?> type, RecordComponent[] declared) {
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

    /** One parameter: its spellings and how its value is read. */
    private static final class Component {
        private final List<String> names;
        private final ParamTypes.Reading reading;

        private Component(List<String> names, ParamTypes.Reading reading) {
            this.names = names;
            this.reading = reading;
        }

        static Component of(RecordComponent declared) {
            List<String> names = new ArrayList<>();
            names.add(MemberNames.snakeCase(declared.getName()));
            Alias alias = declared.getAnnotation(Alias.class);
            if (alias != null) {
                names.addAll(List.of(alias.value()));
            }
            return new Component(List.copyOf(names), ParamTypes.of(declared, names));
        }

        Object read(JsonNode members, String path) {
            JsonNode value = members.get(names.get(0));
            String name = names.get(0);
            for (int i = 1; i < names.size(); i++) {
                JsonNode other = members.get(names.get(i));
                if (other != null && value != null) {
                    throw RpcException.invalidParams(
                            "`" + path + name + "` and `" + path + names.get(i) + "` are the same parameter; give one");
                }
                if (other != null) {
                    value = other;
                    name = names.get(i);
                }
            }
            if (value == null || value.isNull()) {
                return reading.absent(path + names.get(0));
            }
            return reading.present(value, path + name);
        }
    }
}
