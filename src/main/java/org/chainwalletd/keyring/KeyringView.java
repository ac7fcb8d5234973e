package org.chainwalletd.keyring;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import org.chainwalletd.chain.Address;

/**
 * The public side of the whole keyring at one moment; immutable to everyone who reads it. Entries stand in the order of {@code
 * state.json}: legacy HD keys by index, then the 1:1 keys as they came, then what was added since.
 *
 * <p>Growing costs what is added, not what is there: successors share one array, of which each view reads its own first {@code size}
 * places. So only the newest view may be grown, by its one owner, and once it was grown successfully its successor takes its place.
 */
final class KeyringView {
    private final KeyEntry[] entries;
    private final int size;
    private final long nextIndex;
    private final Map<String, byte[]> unknownMembers;

    private KeyringView(KeyEntry[] entries, int size, long nextIndex, Map<String, byte[]> unknownMembers) {
        this.entries = entries;
        this.size = size;
        this.nextIndex = nextIndex;
        this.unknownMembers = unknownMembers;
    }

    /** @param unknownMembers members of {@code state.json} that are not ours, by name, as JSON text in UTF-8 */
    static KeyringView of(List<KeyEntry> entries, long nextIndex, Map<String, byte[]> unknownMembers) {
        return new KeyringView(
                entries.toArray(KeyEntry[]::new),
                entries.size(),
                nextIndex,
                Collections.unmodifiableMap(unknownMembers));
    }

    int size() {
        return size;
    }

    /** Index of the next legacy HD key, u32. */
    long nextIndex() {
        return nextIndex;
    }

    Map<String, byte[]> unknownMembers() {
        return unknownMembers;
    }

    List<KeyEntry> entries() {
        return new Entries(entries, size);
    }

    KeyringView grown(List<KeyEntry> added, long newNextIndex) {
        int newSize = size + added.size();
        KeyEntry[] target = newSize <= entries.length
                ? entries
                : Arrays.copyOf(entries, Math.max(newSize, entries.length + (entries.length >> 1) + 16));
        for (int i = 0; i < added.size(); i++) {
            target[size + i] = added.get(i);
        }
        return new KeyringView(target, newSize, newNextIndex, unknownMembers);
    }

    KeyringView without(Set<Address> removed) {
        KeyEntry[] kept = entries().stream()
                .filter(entry -> !removed.contains(entry.address()))
                .toArray(KeyEntry[]::new);
        return new KeyringView(kept, kept.length, nextIndex, unknownMembers);
    }

    /** With other entries in the places of those with the same addresses. */
    KeyringView replaced(Map<Address, KeyEntry> replacements) {
        KeyEntry[] target = Arrays.copyOf(entries, size);
        for (int i = 0; i < size; i++) {
            target[i] = replacements.getOrDefault(target[i].address(), target[i]);
        }
        return new KeyringView(target, size, nextIndex, unknownMembers);
    }

    private static final class Entries extends AbstractList<KeyEntry> implements RandomAccess {
        private final KeyEntry[] entries;
        private final int size;

        Entries(KeyEntry[] entries, int size) {
            this.entries = entries;
            this.size = size;
        }

        @Override
        public KeyEntry get(int index) {
            if (index >= size) {
                throw new IndexOutOfBoundsException(index);
            }
            return entries[index];
        }

        @Override
        public int size() {
            return size;
        }
    }
}
