package org.chainwalletd.store.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Map whose changes can be undone one by one, by the single thread that makes them. Any thread may read it. */
final class UndoableMap<K, V> implements GroupCommitWriter.InMemory {
    /** Previous value of a key; null if it had none. */
    private record Before<K, V>(K key, V value) {}

    private final Map<K, V> values = new ConcurrentHashMap<>();
    private final List<Before<K, V>> journal = new ArrayList<>();

    Optional<V> get(K key) {
        return values.isEmpty() ? Optional.empty() : Optional.ofNullable(values.get(key));
    }

    void put(K key, V value) {
        journal.add(new Before<>(key, values.put(key, value)));
    }

    /** Removes the key if it has this value. */
    void remove(K key, V value) {
        if (values.remove(key, value)) {
            journal.add(new Before<>(key, value));
        }
    }

    /** Removes all keys whose value matches; this cannot be undone. */
    void removeAll(Predicate<V> which) {
        values.values().removeIf(which);
    }

    @Override
    public int mark() {
        return journal.size();
    }

    @Override
    public void undoTo(int mark) {
        while (journal.size() > mark) {
            Before<K, V> before = journal.remove(journal.size() - 1);
            if (before.value() == null) {
                values.remove(before.key());
            } else {
                values.put(before.key(), before.value());
            }
        }
    }

    @Override
    public void settle() {
        journal.clear();
    }
}
