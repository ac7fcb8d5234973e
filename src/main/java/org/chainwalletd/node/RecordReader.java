package org.chainwalletd.node;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.I64;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.MemberNames;
import org.chainwalletd.wire.Name;
import org.chainwalletd.wire.U32;

/**
 * Reads a record from the JSON object of a node or an indexer, in one pass. Created once per record type.
 *
 * <p>A member has the name of its component in snake case, or that of its {@link Name}. Types: {@link Hash256}, {@link Address}, {@link PublicKey},
 * {@link Bytes} (hex), {@link Amount} and {@code long} (u64; {@link U32} u32, {@link I64} signed), {@code boolean}, {@code String}, enums (the
 * constant's name in lower case, with dashes or underscores; an enum with a single constant always has that value, whatever the answer contains),
 * records, and {@code List}s of these. If the member is absent or null, a component marked {@link MaybeAbsent} is null and an {@code Optional} or
 * {@code OptionalLong} is empty; any other missing member is an error. Unknown members are skipped, a repeated one is an error.
 *
 * @param <T> the record
 */
public final class RecordReader<T extends Record> implements ResultReader<T> {
    /** Maximum length of a list in an indexer's answer. */
    private static final int MOST_ROWS = 1_000;

    private enum Dialect {
        /** Fields of 32 bytes are hex. The length of lists is limited by that of the answer. */
        NODE,
        /** Fields of 32 bytes are hex or arrays of numbers, depending on method and version (indexer.md, quirk 1). Lists are pages. */
        INDEXER
    }

    @FunctionalInterface
    private interface ValueReader {
        Object read(AnswerJson in, Object earlier) throws IOException;
    }

    /** Value of one member. */
    private record Member(
            String name, ValueReader reader, UnaryOperator<Object> present, boolean required, Object ifAbsent) {
        Object read(AnswerJson in, Object earlier) throws IOException {
            if (!required && in.isNull()) {
                return null;
            }
            return reader.read(in, earlier);
        }

        Object value(AnswerJson in, Object read) {
            if (required) {
                return in.required(read, name);
            }
            return read == null ? ifAbsent : present.apply(read);
        }
    }

    private final Member[] members;
    private final Map<String, Integer> places = new HashMap<>();
    private final MethodHandle constructor;

    private RecordReader(Class<T> type, Dialect dialect) {
        RecordComponent[] components = type.getRecordComponents();
        members = new Member[components.length];
        for (int i = 0; i < components.length; i++) {
            members[i] = member(components[i], dialect);
            places.put(members[i].name(), i);
        }
        constructor = Binder.constructorOf(type, components);
    }

    /** @throws IllegalArgumentException if a component has an unsupported type */
    public static <T extends Record> RecordReader<T> ofNode(Class<T> type) {
        return new RecordReader<>(type, Dialect.NODE);
    }

    /** @throws IllegalArgumentException if a component has an unsupported type */
    public static <T extends Record> RecordReader<T> ofIndexer(Class<T> type) {
        return new RecordReader<>(type, Dialect.INDEXER);
    }

    @Override
    @SuppressWarnings("unchecked") // the constructor makes a T
    public T read(AnswerJson in) throws IOException {
        in.beginObject();
        Object[] values = new Object[members.length];
        for (String name; (name = in.nextMember()) != null; ) {
            Integer place = places.get(name);
            if (place == null) {
                in.skip();
            } else {
                values[place] = members[place].read(in, values[place]);
            }
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = members[i].value(in, values[i]);
        }
        return (T) Binder.construct(constructor, values);
    }

    private static Member member(RecordComponent component, Dialect dialect) {
        String name = name(component);
        Class<?> type = component.getType();
        if (type == Optional.class) {
            ValueReader reader = reader(argument(component.getGenericType()), component, dialect);
            return new Member(name, reader, Optional::of, false, Optional.empty());
        }
        if (type == OptionalLong.class) {
            return new Member(
                    name, number(component), value -> OptionalLong.of((Long) value), false, OptionalLong.empty());
        }
        if (type.isEnum() && type.getEnumConstants().length == 1) {
            return new Member(name, RecordReader::skipped, UnaryOperator.identity(), false, type.getEnumConstants()[0]);
        }
        return new Member(
                name,
                reader(component.getGenericType(), component, dialect),
                UnaryOperator.identity(),
                !component.isAnnotationPresent(MaybeAbsent.class),
                null);
    }

    private static Object skipped(AnswerJson in, Object earlier) throws IOException {
        in.skip();
        return null;
    }

    private static String name(RecordComponent component) {
        Name name = component.getAnnotation(Name.class);
        return name == null ? MemberNames.snakeCase(component.getName()) : name.value();
    }

    private static ValueReader reader(Type type, RecordComponent component, Dialect dialect) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return list(reader(argument(type), component, dialect), dialect);
        }
        if (type == Hash256.class) {
            return dialect == Dialect.NODE
                    ? (in, earlier) -> in.hash((Hash256) earlier)
                    : (in, earlier) -> in.bytes32((Hash256) earlier);
        }
        if (type == Address.class) {
            return dialect == Dialect.NODE
                    ? (in, earlier) -> in.address((Address) earlier)
                    : (in, earlier) -> Address.of(bytes32(in, earlier));
        }
        if (type == PublicKey.class) {
            return (in, earlier) -> PublicKey.of(bytes32(in, earlier));
        }
        if (type == Bytes.class) {
            return (in, earlier) -> in.bytes((Bytes) earlier);
        }
        if (type == Amount.class) {
            return (in, earlier) -> in.amount((Amount) earlier);
        }
        if (type == Long.TYPE || type == Long.class) {
            return number(component);
        }
        if (type == Boolean.TYPE || type == Boolean.class) {
            return (in, earlier) -> in.flag((Boolean) earlier);
        }
        if (type == String.class) {
            return (in, earlier) -> in.text((String) earlier);
        }
        if (type instanceof Class<?> plain && plain.isEnum()) {
            return enumeration(plain.getEnumConstants());
        }
        if (type instanceof Class<?> plain && plain.isRecord()) {
            RecordReader<?> nested = new RecordReader<>(plain.asSubclass(Record.class), dialect);
            return (in, earlier) -> {
                in.once(earlier);
                return nested.read(in);
            };
        }
        throw new IllegalArgumentException("no type of an answer: " + type);
    }

    private static ValueReader number(RecordComponent component) {
        if (component.isAnnotationPresent(U32.class)) {
            return (in, earlier) -> in.u32((Long) earlier);
        }
        if (component.isAnnotationPresent(I64.class)) {
            return (in, earlier) -> in.i64((Long) earlier);
        }
        return (in, earlier) -> in.u64((Long) earlier);
    }

    private static ValueReader enumeration(Object[] constants) {
        Map<String, Object> byName = new HashMap<>();
        for (Object constant : constants) {
            byName.put(((Enum<?>) constant).name().toLowerCase(Locale.ROOT), constant);
        }
        return (in, earlier) -> {
            in.once(earlier);
            Object constant = byName.get(in.text(null).replace('-', '_'));
            if (constant == null) {
                throw in.bad("holds a word that is not known");
            }
            return constant;
        };
    }

    private static ValueReader list(ValueReader element, Dialect dialect) {
        return (in, earlier) -> {
            in.beginArray(earlier);
            List<Object> elements = new ArrayList<>();
            while (in.nextElement()) {
                if (dialect == Dialect.INDEXER && elements.size() == MOST_ROWS) {
                    throw in.bad("has more than " + MOST_ROWS + " rows");
                }
                elements.add(element.read(in, null));
            }
            return elements;
        };
    }

    private static byte[] bytes32(AnswerJson in, Object earlier) throws IOException {
        in.once(earlier);
        return in.bytes32(null).toArray();
    }

    private static Type argument(Type type) {
        return ((ParameterizedType) type).getActualTypeArguments()[0];
    }
}
