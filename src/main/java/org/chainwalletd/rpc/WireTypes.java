package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.Serializers;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.type.ReferenceType;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;

/** The forms of the value types in results. */
final class WireTypes extends SimpleModule {
    private static final long serialVersionUID = 1L;

    WireTypes() {
        super("wire-types");
        addSerializer(Address.class, scalar(Address.class, (value, out) -> out.writeString(value.hex())));
        addSerializer(Hash256.class, scalar(Hash256.class, (value, out) -> out.writeString(value.hex())));
        addSerializer(PublicKey.class, scalar(PublicKey.class, (value, out) -> out.writeString(value.hex())));
        addSerializer(
                Ed25519Signature.class, scalar(Ed25519Signature.class, (value, out) -> out.writeString(value.hex())));
        addSerializer(Bytes.class, scalar(Bytes.class, (value, out) -> out.writeString(value.hex())));
        addSerializer(Amount.class, scalar(Amount.class, (value, out) -> writeUnsigned(value.bits(), out)));
        addSerializer(Long.class, scalar(Long.class, WireTypes::writeUnsigned));
        addSerializer(Long.TYPE, scalar(Long.TYPE, WireTypes::writeUnsigned));
        addSerializer(SecretBytes.class, scalar(SecretBytes.class, WireTypes::writeSecret));
        addSerializer(RawJson.class, scalar(RawJson.class, (value, out) -> out.writeRawValue(value.text())));
    }

    @Override
    public void setupModule(SetupContext context) {
        super.setupModule(context);
        context.addTypeModifier(new OptionalSerializer.OptionalTypes());
        context.addSerializers(new Serializers.Base() {
            @Override
            public JsonSerializer<?> findSerializer(
                    SerializationConfig config, JavaType type, BeanDescription description) {
                return type.isEnumType() ? scalar(Enum.class, (value, out) -> out.writeString(word(value))) : null;
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
                    return new OptionalLongSerializer();
                }
                return type.hasRawClass(OptionalInt.class) ? new OptionalIntSerializer() : null;
            }
        });
    }

    /** Lower-case name of an enum constant. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void writeUnsigned(long bits, JsonGenerator out) throws IOException {
        if (bits >= 0) {
            out.writeNumber(bits);
        } else {
            out.writeNumber(Long.toUnsignedString(bits));
        }
    }

    /** Written from its bytes, never a {@code String}; closed, since an answer is written once. */
    private static void writeSecret(SecretBytes secret, JsonGenerator out) throws IOException {
        WipedBuffers.markSecret();
        try (secret) {
            secret.use(utf8 -> {
                out.writeUTF8String(utf8, 0, utf8.length);
                return null;
            });
        }
    }

    private interface Writing<T> {
        void write(T value, JsonGenerator out) throws IOException;
    }

    private static <T> JsonSerializer<T> scalar(Class<T> type, Writing<T> writing) {
        return new Scalar<>(type, writing);
    }

    private static final class Scalar<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1L;

        private final transient Writing<T> writing;

        Scalar(Class<T> type, Writing<T> writing) {
            super(type);
            this.writing = writing;
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            writing.write(value, out);
        }
    }

    private static final class OptionalLongSerializer extends StdScalarSerializer<OptionalLong> {
        private static final long serialVersionUID = 1L;

        OptionalLongSerializer() {
            super(OptionalLong.class);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, OptionalLong value) {
            return value.isEmpty();
        }

        @Override
        public void serialize(OptionalLong value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (value.isPresent()) {
                writeUnsigned(value.getAsLong(), out);
            } else {
                out.writeNull();
            }
        }
    }

    private static final class OptionalIntSerializer extends StdScalarSerializer<OptionalInt> {
        private static final long serialVersionUID = 1L;

        OptionalIntSerializer() {
            super(OptionalInt.class);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, OptionalInt value) {
            return value.isEmpty();
        }

        @Override
        public void serialize(OptionalInt value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (value.isPresent()) {
                out.writeNumber(value.getAsInt());
            } else {
                out.writeNull();
            }
        }
    }
}
