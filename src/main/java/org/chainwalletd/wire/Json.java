package org.chainwalletd.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.AccessorNamingStrategy;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.DefaultAccessorNamingStrategy;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writers of results: records as objects with snake-case members, hashes and byte strings as lower-case hex, amounts and {@code long}s as unsigned
 * numbers; absent members are omitted (interface.md, section 1.1; decisions.md, section 2).
 */
public final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder(new JsonFactoryBuilder()
                    .recyclerPool(new WipedBuffers.Pool())
                    .build())
            .propertyNamingStrategy(new WireNames(Spelling.AS_DECLARED))
            .accessorNaming(new RecordComponentsOnly())
            .annotationIntrospector(AnnotationIntrospector.pair(new RecordMarks(), new JacksonAnnotationIntrospector()))
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT, JsonInclude.Include.USE_DEFAULTS))
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .addModule(new WireTypes())
            .build();

    private Json() {}

    /** Returns a reusable writer for the parameters of one method. It does not close secrets, because a call may be sent again. */
    public static ObjectWriter paramsWriterFor(Class<? extends Record> type) {
        return MAPPER.writerFor(type).withAttribute(WireTypes.KEEPS_SECRETS, true);
    }

    /**
     * Returns a writer for one result or data type; keep it, because creating it is expensive. It closes the secrets that it writes. For an
     * interface, such as a sealed one with several shapes, the members of the value's runtime class are written.
     */
    public static ObjectWriter writerFor(Class<?> type) {
        return Modifier.isFinal(type.getModifiers()) ? MAPPER.writerFor(type) : MAPPER.writer();
    }

    /** Returns a writer like {@link #writerFor(Class)} that uses the brand's member names. */
    public static ObjectWriter writerFor(Class<?> type, Spelling spelling) {
        return spelling.isAsDeclared()
                ? writerFor(type)
                : MAPPER.copy()
                        .setPropertyNamingStrategy(new WireNames(spelling))
                        .writerFor(type);
    }

    /** Returns the JSON of {@code value} in UTF-8. On the hot path, use a stored {@link #writerFor} instead. */
    public static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot be written as JSON: " + value.getClass(), e);
        } finally {
            WipedBuffers.done();
        }
    }

    /** Naming strategy that applies the binder's rule; Jackson's own one differs for consecutive capitals. */
    private static final class WireNames extends PropertyNamingStrategies.NamingBase {
        private static final long serialVersionUID = 1L;

        private final transient Spelling spelling;

        WireNames(Spelling spelling) {
            this.spelling = spelling;
        }

        @Override
        public String translate(String propertyName) {
            return spelling.written(MemberNames.snakeCase(propertyName));
        }
    }

    /** Naming of accessors by which only record components become members, not methods called {@code isX} or {@code getX}. */
    private static final class RecordComponentsOnly extends DefaultAccessorNamingStrategy.Provider {
        private static final long serialVersionUID = 1L;

        @Override
        public AccessorNamingStrategy forRecord(MapperConfig<?> config, AnnotatedClass recordClass) {
            Set<String> components = Arrays.stream(recordClass.getRawType().getRecordComponents())
                    .map(RecordComponent::getName)
                    .collect(Collectors.toUnmodifiableSet());
            return new DefaultAccessorNamingStrategy.RecordNaming(config, recordClass) {
                @Override
                public String findNameForIsGetter(AnnotatedMethod method, String name) {
                    return null;
                }

                @Override
                public String findNameForRegularGetter(AnnotatedMethod method, String name) {
                    return components.contains(name) ? name : null;
                }
            };
        }
    }

    /** Implements {@link I64}, {@link Inline} and {@link OrNull}, which Jackson does not find because they annotate record components. */
    private static final class RecordMarks extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public Object findSerializer(Annotated annotated) {
            return isMarked(annotated, I64.class) ? new SignedLong() : null;
        }

        @Override
        public NameTransformer findUnwrappingNameTransformer(AnnotatedMember member) {
            return isMarked(member, Inline.class) ? NameTransformer.NOP : null;
        }

        @Override
        public JsonInclude.Value findPropertyInclusion(Annotated annotated) {
            return isMarked(annotated, OrNull.class)
                    ? JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.USE_DEFAULTS)
                    : JsonInclude.Value.empty();
        }

        private static boolean isMarked(Annotated annotated, Class<? extends Annotation> mark) {
            if (!(annotated instanceof AnnotatedMember member)
                    || !member.getDeclaringClass().isRecord()) {
                return false;
            }
            return Arrays.stream(member.getDeclaringClass().getRecordComponents())
                    .anyMatch(component ->
                            component.getName().equals(member.getName()) && component.isAnnotationPresent(mark));
        }
    }

    private static final class SignedLong extends StdScalarSerializer<Long> {
        private static final long serialVersionUID = 1L;

        SignedLong() {
            super(Long.class);
        }

        @Override
        public void serialize(Long value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeNumber(value.longValue());
        }
    }
}
