package org.chainwalletd.testkit;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Computes the memory retained by objects in the layout of a 64-bit HotSpot with compressed references: the same on every machine and in every run,
 * unlike a measured heap. Fields of the JDK's classes cannot be read, so its maps and lists are counted by their known layout.
 */
public final class RetainedBytes {
    private static final int HEADER = 12;
    private static final int REFERENCE = 4;
    private static final int ARRAY_HEADER = 16;

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> open = new ArrayDeque<>();
    private long bytes;

    private RetainedBytes() {}

    /**
     * Returns the bytes of everything reachable from these roots, each object once; classes, enums and lambdas, which are shared, are not counted.
     */
    public static long of(Object... roots) {
        RetainedBytes counter = new RetainedBytes();
        Arrays.asList(roots).forEach(counter::reach);
        while (!counter.open.isEmpty()) {
            counter.count(counter.open.poll());
        }
        return counter.bytes;
    }

    private void reach(Object object) {
        boolean shared = object == null
                || object instanceof Class
                || object instanceof Enum
                || object instanceof Thread
                || object.getClass().isHidden();
        if (!shared && seen.add(object)) {
            open.add(object);
        }
    }

    private static long aligned(long size) {
        return (size + 7) / 8 * 8;
    }

    private void count(Object object) {
        if (object.getClass().isArray()) {
            countArray(object);
        } else if (object instanceof Map<?, ?> map && isOfJdk(object)) {
            // The map, its table, and for each element an entry with a hash, a key, a value and up to three links.
            bytes += 48 + aligned(ARRAY_HEADER + (long) REFERENCE * tableSize(map.size())) + 40L * map.size();
            map.forEach((key, value) -> {
                reach(key);
                reach(value);
            });
        } else if (object instanceof Set<?> set && isOfJdk(object)) {
            bytes += 64 + aligned(ARRAY_HEADER + (long) REFERENCE * tableSize(set.size())) + 40L * set.size();
            set.forEach(this::reach);
        } else if (object instanceof Collection<?> list && isOfJdk(object)) {
            bytes += 24 + aligned(ARRAY_HEADER + (long) REFERENCE * 3 * list.size() / 2);
            list.forEach(this::reach);
        } else {
            countFields(object);
        }
    }

    private static boolean isOfJdk(Object object) {
        return object.getClass().getName().startsWith("java.");
    }

    private static int tableSize(int entries) {
        return entries == 0 ? 0 : Math.max(16, Integer.highestOneBit(entries * 4 / 3) * 2);
    }

    private void countArray(Object array) {
        Class<?> kind = array.getClass().getComponentType();
        int length = Array.getLength(array);
        bytes += aligned(ARRAY_HEADER + (long) sizeOf(kind) * length);
        for (int i = 0; i < length && !kind.isPrimitive(); i++) {
            reach(Array.get(array, i));
        }
    }

    private static int sizeOf(Class<?> type) {
        if (!type.isPrimitive()) {
            return REFERENCE;
        }
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == int.class || type == float.class) {
            return Integer.BYTES;
        }
        return type == short.class || type == char.class ? Short.BYTES : Byte.BYTES;
    }

    private void countFields(Object object) {
        long size = HEADER;
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    size += sizeOf(field.getType());
                    reach(valueOf(field, object));
                }
            }
        }
        bytes += aligned(size);
    }

    private static Object valueOf(Field field, Object object) {
        if (field.getType().isPrimitive()) {
            return null;
        }
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (InaccessibleObjectException e) {
            return null;
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
