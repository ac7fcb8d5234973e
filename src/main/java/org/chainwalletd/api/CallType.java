package org.chainwalletd.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * The declaration of a method, read from its record.
 *
 * @param params record of the parameters
 * @param result record of the result
 */
public record CallType<C extends Record & Call<R>, R>(Method method, Class<C> params, Class<R> result) {
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
