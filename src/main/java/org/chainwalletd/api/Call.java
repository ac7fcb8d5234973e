package org.chainwalletd.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;

/**
 * Method call with its parameters, as made by the Java client and bound by the server. Implemented by records annotated with {@link Method}.
 *
 * @param <R> record of the result
 */
public interface Call<R> {
    /** Maximum time for which the daemon itself waits before it answers, in addition to the time of an ordinary call. */
    default Duration waits() {
        return Duration.ZERO;
    }

    /**
     * Declaration of a method, read from its record.
     *
     * @param params record of the parameters
     * @param result record of the result
     */
    record CallType<C extends Record & Call<R>, R>(Method method, Class<C> params, Class<R> result) {
        /** @throws IllegalArgumentException when {@code call} has no {@link Method}, or its result is not a class */
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
