package org.chainwalletd.wire;

import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.std.ReferenceTypeSerializer;
import com.fasterxml.jackson.databind.type.ReferenceType;
import com.fasterxml.jackson.databind.type.TypeBindings;
import com.fasterxml.jackson.databind.type.TypeFactory;
import com.fasterxml.jackson.databind.type.TypeModifier;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Writes what an {@link Optional} holds; that an empty one is left out is the inclusion rule's doing. */
final class OptionalSerializer extends ReferenceTypeSerializer<Optional<?>> {
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
            BeanProperty property, TypeSerializer contentType, JsonSerializer<?> content, NameTransformer unwrapper) {
        return new OptionalSerializer(
                this, property, contentType, content, unwrapper, _suppressableValue, _suppressNulls);
    }

    @Override
    public ReferenceTypeSerializer<Optional<?>> withContentInclusion(Object suppressableValue, boolean suppressNulls) {
        return new OptionalSerializer(
                this, _property, _valueTypeSerializer, _valueSerializer, _unwrapper, suppressableValue, suppressNulls);
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

    /** Tells Jackson which types are references that may be absent. */
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
