package org.chainwalletd.testkit;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Copies of records with some members changed, so that a test shows only the differences. */
public final class Copies {
    private Copies() {}

    /** @param changes names and new values of members, alternating */
    @SuppressWarnings("unchecked") // the constructor is that of the record's own class
    public static <R extends Record> R with(R record, Object... changes) {
        Map<Object, Object> changed = new HashMap<>();
        for (int i = 0; i < changes.length; i += 2) {
            changed.put(changes[i], changes[i + 1]);
        }
        RecordComponent[] members = record.getClass().getRecordComponents();
        try {
            Object[] values = new Object[members.length];
            for (int i = 0; i < members.length; i++) {
                String name = members[i].getName();
                members[i].getAccessor().setAccessible(true);
                values[i] = changed.containsKey(name)
                        ? changed.remove(name)
                        : members[i].getAccessor().invoke(record);
            }
            if (!changed.isEmpty()) {
                throw new IllegalArgumentException("no members of " + record.getClass() + ": " + changed.keySet());
            }
            Class<?>[] types =
                    Arrays.stream(members).map(RecordComponent::getType).toArray(Class<?>[]::new);
            var canonical = record.getClass().getDeclaredConstructor(types);
            canonical.setAccessible(true);
            return (R) canonical.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
