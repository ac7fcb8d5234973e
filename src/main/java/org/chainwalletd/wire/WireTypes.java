package org.chainwalletd.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.Serializers;
import com.fasterxml.jackson.databind.ser.std.ReferenceTypeSerializer;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.type.ReferenceType;
import com.fasterxml.jackson.databind.type.TypeBindings;
import com.fasterxml.jackson.databind.type.TypeFactory;
import com.fasterxml.jackson.databind.type.TypeModifier;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.chainwalletd.crypto.SecretBytes;

/** Jackson module that writes results in the format defined by {@link WireValue}. */
final class WireTypes extends SimpleModule {
    private static final long serialVersionUID = 1L;

    /** Attribute of a writer that does not close (wipe) the secrets that it writes. */
    static final Object KEEPS_SECRETS = "keeps secrets";

    WireTypes() {
        super("wire-types");
        WireValue.all().forEach(this::add);
        addSerializer(SecretBytes.class, new SecretSerializer());
        addSerializer(new OneOrMoreSerializer());
        addSerializer(RawJson.class, scalar(RawJson.class, (value, out) -> out.writeRawValue(value.text())));
    }

    /** Adds the type's serializer, if it has one; Jackson's default serializers write the other types in the same format. */
    private <T> void add(WireValue<T> value) {
        value.writer().ifPresent(writer -> value.classes().forEach(type -> addSerializer(type, scalar(type, writer))));
    }

    @Override
    public void setupModule(SetupContext context) {
        super.setupModule(context);
        context.addTypeModifier(new OptionalSerializer.OptionalTypes());
        context.addSerializers(new Serializers.Base() {
            @Override
            public JsonSerializer<?> findSerializer(
                    SerializationConfig config, JavaType type, BeanDescription description) {
                return type.isEnumType()
                        ? scalar(Enum.class, (value, out) -> out.writeString(MemberNames.word(value)))
                        : null;
            }

            @Override
            public JsonSerializer<?> findReferenceSerializer(
                    SerializationConfig config,
                    ReferenceType type,
                    BeanDescription description,
                    TypeSerializer contentTypeSerializer,
                    JsonSerializer<Object> contentValueSerializer) {
                if (type.hasRawClass(Optional.class)) {
                    return new OptionalSerializer(type, contentTypeSerializer, contentValueSerializer);
                }
                if (type.hasRawClass(OptionalLong.class)) {
                    return new OptionalNumberSerializer<>(
                            OptionalLong.class,
                            OptionalLong::isEmpty,
                            (value, out) -> WireValue.writeUnsigned(value.getAsLong(), out));
                }
                return type.hasRawClass(OptionalInt.class)
                        ? new OptionalNumberSerializer<>(
                                OptionalInt.class,
                                OptionalInt::isEmpty,
                                (value, out) -> out.writeNumber(value.getAsInt()))
                        : null;
            }
        });
    }

    private static <T> JsonSerializer<T> scalar(Class<T> type, WireValue.Writer<T> writing) {
        return new Scalar<>(type, writing);
    }

    private static final class Scalar<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1L;

        private final transient WireValue.Writer<T> writing;

        Scalar(Class<T> type, WireValue.Writer<T> writing) {
            super(type);
            this.writing = writing;
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            writing.write(value, out);
        }
    }

    /** Writes a secret from its bytes, never through a {@code String}. */
    private static final class SecretSerializer extends StdScalarSerializer<SecretBytes> {
        private static final long serialVersionUID = 1L;

        SecretSerializer() {
            super(SecretBytes.class);
        }

        @Override
        public void serialize(SecretBytes secret, JsonGenerator out, SerializerProvider provider) throws IOException {
            WipedBuffers.markSecret();
            try {
                secret.use(utf8 -> {
                    out.writeUTF8String(utf8, 0, utf8.length);
                    return null;
                });
            } finally {
                if (provider.getAttribute(KEEPS_SECRETS) == null) {
                    secret.close();
                }
            }
        }
    }

    /** Writes the values as an array, also a single one. */
    private static final class OneOrMoreSerializer extends StdSerializer<OneOrMore<?>> {
        private static final long serialVersionUID = 1L;

        OneOrMoreSerializer() {
            super(OneOrMore.class, false);
        }

        @Override
        public void serialize(OneOrMore<?> value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeStartArray();
            for (Object item : value.items()) {
                provider.findValueSerializer(item.getClass()).serialize(item, out, provider);
            }
            out.writeEndArray();
        }
    }

    /** Writes an {@link OptionalLong} or an {@link OptionalInt}. */
    private static final class OptionalNumberSerializer<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1L;

        private final transient Predicate<T> empty;
        private final transient WireValue.Writer<T> writing;

        OptionalNumberSerializer(Class<T> type, Predicate<T> empty, WireValue.Writer<T> writing) {
            super(type);
            this.empty = empty;
            this.writing = writing;
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, T value) {
            return empty.test(value);
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (empty.test(value)) {
                out.writeNull();
            } else {
                writing.write(value, out);
            }
        }
    }

    /** Writes the value of an {@link Optional}; the inclusion rule omits an empty one. */
    private static final class OptionalSerializer extends ReferenceTypeSerializer<Optional<?>> {
        private static final long serialVersionUID = 1L;

        OptionalSerializer(ReferenceType type, TypeSerializer contentType, JsonSerializer<Object> content) {
            super(type, true, contentType, content);
        }

        private OptionalSerializer(
                OptionalSerializer base,
                BeanProperty property,
                TypeSerializer contentType,
                JsonSerializer<?> content,
                NameTransformer unwrapper,
                Object suppressableValue,
                boolean suppressNulls) {
            super(base, property, contentType, content, unwrapper, suppressableValue, suppressNulls);
        }

        @Override
        protected ReferenceTypeSerializer<Optional<?>> withResolved(
                BeanProperty property,
                TypeSerializer contentType,
                JsonSerializer<?> content,
                NameTransformer unwrapper) {
            return new OptionalSerializer(
                    this, property, contentType, content, unwrapper, _suppressableValue, _suppressNulls);
        }

        @Override
        public ReferenceTypeSerializer<Optional<?>> withContentInclusion(
                Object suppressableValue, boolean suppressNulls) {
            return new OptionalSerializer(
                    this,
                    _property,
                    _valueTypeSerializer,
                    _valueSerializer,
                    _unwrapper,
                    suppressableValue,
                    suppressNulls);
        }

        @Override
        protected boolean _isValuePresent(Optional<?> value) {
            return value.isPresent();
        }

        @Override
        protected Object _getReferenced(Optional<?> value) {
            return value.get();
        }

        @Override
        protected Object _getReferencedIfPresent(Optional<?> value) {
            return value.orElse(null);
        }

        /** Registers with Jackson the types that are references that may be absent. */
        static final class OptionalTypes extends TypeModifier {
            @Override
            public JavaType modifyType(JavaType type, Type generic, TypeBindings bindings, TypeFactory types) {
                if (type.isReferenceType() || type.isContainerType()) {
                    return type;
                }
                if (type.hasRawClass(Optional.class)) {
                    return ReferenceType.upgradeFrom(type, type.containedTypeOrUnknown(0));
                }
                if (type.hasRawClass(OptionalLong.class)) {
                    return ReferenceType.upgradeFrom(type, types.constructType(Long.TYPE));
                }
                if (type.hasRawClass(OptionalInt.class)) {
                    return ReferenceType.upgradeFrom(type, types.constructType(Integer.TYPE));
                }
                return type;
            }
        }
    }
}
