package org.chainwalletd.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;

/**
 * A method with its parameters, as the Java client calls it and as the server binds it. Implemented by records that carry {@link Method}.
 *
 * @param <R> record of the result
 */
public interface Call<R> {
    /** Time for which the daemon itself may wait before it answers, besides that of an ordinary call. */
    default Duration waits() {
        return Duration.ZERO;
    }

    /**
     * The declaration of a method, read from its record.
     *
     * @param params record of the parameters
     * @param result record of the result
     */
    record CallType<C extends Record & Call<R>, R>(Method method, Class<C> params, Class<R> result) {
        /** @throws IllegalArgumentException when {@code call} carries no {@link Method}, or no class as its result */
        public static <R, C extends Record & Call<R>> CallType<C, R> of(Class<C> call) {
            Method method = call.getAnnotation(Method.class);
            if (method == null) {
                throw new IllegalArgumentException(call + " declares no method");
            }
            for (Type implemented : call.getGenericInterfaces()) {
                if (implemented instanceof ParameterizedType generic
                        && Call.class.isAssignableFrom((Class<?>) generic.getRawType())
                        && generic.getActualTypeArguments()[0] instanceof Class<?> result) {
                    @SuppressWarnings("unchecked") // the compiler has checked that it is a Call<R>
                    Class<R> checked = (Class<R>) result;
                    return new CallType<>(method, call, checked);
                }
            }
            throw new IllegalArgumentException(call + " declares no result");
        }
    }
}
