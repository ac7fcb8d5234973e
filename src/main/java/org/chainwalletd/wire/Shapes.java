package org.chainwalletd.wire;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Describes the types of parameters and results as JSON schema and as text, by the rules of {@link Binder} and {@link Json}. */
public final class Shapes {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final BigInteger U32_MAX = BigInteger.valueOf(0xFFFF_FFFFL);

    private Shapes() {}

    /**
     * Description of a type.
     *
     * @param words the type in the specification's notation
     * @param schema JSON schema
     * @param members members of an object, or of the objects in an array
     */
    public record Shape(String words, ObjectNode schema, List<Member> members) {}

    /**
     * @param required whether it is present in every request or result
     * @param doc description; empty when there is none
     * @param aliases alternative names of a parameter
     */
    public record Member(
            String name,
            Shape shape,
            boolean required,
            boolean nullable,
            String doc,
            List<String> aliases,
            boolean aliasesDeprecated) {}

    public static List<Member> membersOf(Class<?> type) {
        List<Member> members = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.isAnnotationPresent(Inline.class)) {
                members.addAll(membersOf(component.getType()));
            } else {
                members.add(member(component));
            }
        }
        return List.copyOf(members);
    }

    /** Returns the shape of a result; for a sealed interface, a choice of its records. */
    public static Shape of(Class<?> type) {
        return shape(type, null);
    }

    /** Whether a member may be absent or null. */
    static boolean mayBeMissing(RecordComponent component) {
        Class<?> type = component.getType();
        return component.isAnnotationPresent(MaybeAbsent.class)
                || component.isAnnotationPresent(OrNull.class)
                || type == Optional.class
                || type == OptionalLong.class
                || type == OptionalInt.class
                || type == Long.class
                || type == Integer.class
                || type == Boolean.class;
    }

    private static Member member(RecordComponent component) {
        boolean nullable = component.isAnnotationPresent(OrNull.class);
        Class<?> type = component.getType();
        Type described = type == Optional.class ? argument(component.getGenericType()) : component.getGenericType();
        Alias alias = component.getAnnotation(Alias.class);
        Doc doc = component.getAnnotation(Doc.class);
        return new Member(
                MemberNames.snakeCase(component.getName()),
                shape(described, component),
                nullable || !mayBeMissing(component),
                nullable,
                doc == null ? "" : doc.value(),
                alias == null ? List.of() : List.of(alias.value()),
                alias != null && alias.deprecated());
    }

    /** @param component component whose annotations decide between number types; may be null */
    private static Shape shape(Type type, RecordComponent component) {
        if (type instanceof ParameterizedType generic) {
            if (generic.getRawType() == List.class) {
                Shape item = shape(argument(type), component);
                return new Shape("array of " + item.words(), arrayOf(item), item.members());
            }
            if (generic.getRawType() == OneOrMore.class) {
                return oneOrMore(shape(argument(type), component));
            }
            return new Shape("object", titled(typed("object"), "AnyObject"), List.of());
        }
        Class<?> plain = (Class<?>) type;
        if (component != null && (plain == Long.TYPE || plain == Long.class || plain == OptionalLong.class)) {
            if (component.isAnnotationPresent(U32.class)) {
                return integer("u32", BigInteger.ZERO, U32_MAX);
            }
            if (component.isAnnotationPresent(I64.class)) {
                return integer("i64", BigInteger.valueOf(Long.MIN_VALUE), BigInteger.valueOf(Long.MAX_VALUE));
            }
        }
        Optional<WireValue<?>> value = WireValue.of(plain);
        if (value.isPresent()) {
            return new Shape(
                    value.get().words(),
                    titled(value.get().schema().get(), value.get().title()),
                    List.of());
        }
        if (plain.isEnum()) {
            return enumeration(plain);
        }
        if (plain.isRecord()) {
            List<Member> members = membersOf(plain);
            return new Shape("object", titled(objectSchema(members), titleOf(plain)), members);
        }
        return plain.isSealed() ? oneOf(plain) : new Shape("any", titled(NODES.objectNode(), "AnyValue"), List.of());
    }

    /** Returns the name for generated types: the {@link Title}, or the type's name prefixed by those of the records that it is nested in. */
    private static String titleOf(Class<?> type) {
        Title given = type.getAnnotation(Title.class);
        if (given != null) {
            return given.value();
        }
        Class<?> outer = type.getEnclosingClass();
        return outer != null && (outer.isRecord() || outer.isInterface())
                ? titleOf(outer) + type.getSimpleName()
                : type.getSimpleName();
    }

    static ObjectNode objectSchema(List<Member> members) {
        ObjectNode schema = typed("object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = NODES.arrayNode();
        for (Member member : members) {
            properties.set(member.name(), memberSchema(member));
            if (member.required()) {
                required.add(member.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema;
    }

    /** Returns the member's schema, with the member's description and whether null is allowed. */
    static ObjectNode memberSchema(Member member) {
        ObjectNode schema = member.shape().schema().deepCopy();
        if (member.nullable()) {
            ObjectNode either = NODES.objectNode();
            either.putArray("oneOf").add(schema).add(titled(typed("null"), "Null"));
            schema = titled(either, titleOf(member.shape()) + "OrNull");
        }
        if (!member.doc().isEmpty()) {
            schema.put("description", member.doc());
        }
        return schema;
    }

    private static Shape oneOf(Class<?> sealed) {
        ObjectNode schema = titled(NODES.objectNode(), titleOf(sealed));
        ArrayNode choices = schema.putArray("oneOf");
        List<Member> members = new ArrayList<>();
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            Shape choice = shape(permitted, null);
            choices.add(choice.schema());
            for (Member member : choice.members()) {
                if (members.stream().noneMatch(seen -> seen.name().equals(member.name()))) {
                    members.add(member);
                }
            }
        }
        return new Shape("object", schema, List.copyOf(members));
    }

    private static Shape enumeration(Class<?> type) {
        ObjectNode schema = typed("string").put("title", titleOf(type));
        ArrayNode values = schema.putArray("enum");
        List<String> words = Arrays.stream(type.getEnumConstants())
                .map(constant -> MemberNames.word((Enum<?>) constant))
                .toList();
        words.forEach(values::add);
        return new Shape("one of " + String.join(", ", words), schema, List.of());
    }

    private static Type argument(Type type) {
        return ((ParameterizedType) type).getActualTypeArguments()[0];
    }

    private static Shape oneOrMore(Shape item) {
        ObjectNode many = arrayOf(item).put("minItems", 1);
        ObjectNode schema = titled(NODES.objectNode(), titleOf(item) + "OrArray");
        schema.putArray("oneOf").add(item.schema()).add(many);
        return new Shape(item.words() + ", or an array of these", schema, item.members());
    }

    private static Shape integer(String words, BigInteger minimum, BigInteger maximum) {
        return new Shape(words, titled(WireValue.integer(minimum, maximum), words.toUpperCase(Locale.ROOT)), List.of());
    }

    private static ObjectNode arrayOf(Shape item) {
        ObjectNode schema = titled(typed("array"), titleOf(item) + "Array");
        schema.set("items", item.schema());
        return schema;
    }

    private static String titleOf(Shape shape) {
        return shape.schema().path("title").textValue();
    }

    /** Sets the title, which every schema has, because client generators otherwise derive a type name from a hash. */
    private static ObjectNode titled(ObjectNode schema, String title) {
        return schema.put("title", title);
    }

    private static ObjectNode typed(String type) {
        return NODES.objectNode().put("type", type);
    }
}
