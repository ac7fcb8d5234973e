package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import org.chainwalletd.wire.I64;

/** Makes {@link I64} work: record components carry the annotation, which Jackson does not look at by itself. */
final class SignedLongs extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Object findSerializer(Annotated annotated) {
        if (annotated instanceof AnnotatedMember member && isSigned(member.getDeclaringClass(), member.getName())) {
            return new SignedLong();
        }
        return null;
    }

    private static boolean isSigned(Class<?> owner, String memberName) {
        if (!owner.isRecord()) {
            return false;
        }
        for (RecordComponent component : owner.getRecordComponents()) {
            if (component.getName().equals(memberName)) {
                return component.isAnnotationPresent(I64.class);
            }
        }
        return false;
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
