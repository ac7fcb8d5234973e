package org.chainwalletd.keyring.store;

import java.util.AbstractList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;

/**
 * The public side of the whole keyring at one moment; immutable to everyone who reads it. Entries stand in the order of {@code
 * state.json}: legacy HD keys by index, then the 1:1 keys as they came, then what was added since.
 *
 * <p>Growing costs what is added, not what is there: successors share columns, of which each view reads its own first {@code size}
 * rows. So only the newest view may be grown, by its one owner, and once it was grown successfully its successor takes its place.
 */
public final class KeyringView {
    private final KeyColumns columns;
    private final int size;
    private final long nextIndex;
    private final Map<String, byte[]> unknownMembers;
    private final Optional<EvmKeyRecord> evmKey;

    /**
     * @param unknownMembers members of {@code state.json} beyond the four of every keyring, by name, as JSON text in UTF-8
     * @throws IllegalArgumentException when the one about the account-chain key is damaged
     */
    KeyringView(KeyColumns columns, int size, long nextIndex, Map<String, byte[]> unknownMembers) {
        this(
                columns,
                size,
                nextIndex,
                Collections.unmodifiableMap(unknownMembers),
                Optional.ofNullable(unknownMembers.get(EvmKeyRecord.MEMBER)).map(EvmKeyRecord::parse));
    }

    private KeyringView(
            KeyColumns columns,
            int size,
            long nextIndex,
            Map<String, byte[]> unknownMembers,
            Optional<EvmKeyRecord> evmKey) {
        this.columns = columns;
        this.size = size;
        this.nextIndex = nextIndex;
        this.unknownMembers = unknownMembers;
        this.evmKey = evmKey;
    }

    /** See the constructor. */
    public static KeyringView of(List<KeyEntry> entries, long nextIndex, Map<String, byte[]> unknownMembers) {
        return new KeyringView(KeyColumns.empty().with(0, entries), entries.size(), nextIndex, unknownMembers);
    }

    public int size() {
        return size;
    }

    /** Index of the next legacy HD key, u32. */
    public long nextIndex() {
        return nextIndex;
    }

    public Map<String, byte[]> unknownMembers() {
        return unknownMembers;
    }

    /** The account-chain key that is this keyring's own; a seed may have another one. */
    public Optional<EvmKeyRecord> evmKey() {
        return evmKey;
    }

    /** With another account-chain key, or with none. */
    KeyringView withEvmKey(Optional<EvmKeyRecord> key) {
        Map<String, byte[]> members = new LinkedHashMap<>(unknownMembers);
        members.remove(EvmKeyRecord.MEMBER);
        key.ifPresent(there -> members.put(EvmKeyRecord.MEMBER, there.json()));
        return new KeyringView(columns, size, nextIndex, Collections.unmodifiableMap(members), key);
    }

    /** With other members; see the constructor. */
    KeyringView withMembers(Map<String, byte[]> members) {
        return new KeyringView(columns, size, nextIndex, new LinkedHashMap<>(members));
    }

    /** The first {@link #size} rows are this view's. */
    public KeyColumns columns() {
        return columns;
    }

    /** Made as they are read, so that keeping one is what costs memory. */
    public List<KeyEntry> entries() {
        return new Entries(columns, size);
    }

    /** The addresses of 1:1 keys. */
    List<Address> imported() {
        return rows(columns::isImported).mapToObj(columns::address).toList();
    }

    public boolean hasImported(Address address) {
        byte[] wanted = address.toArray();
        for (int row = 0; row < size; row++) {
            if (columns.isAt(row, wanted) && columns.isImported(row)) {
                return true;
            }
        }
        return false;
    }

    boolean hasDerived() {
        return columns.anyDerived(size);
    }

    boolean hasAllPublicKeys() {
        return columns.allPublicKeys(size);
    }

    /** With the public keys that are known in the places of missing ones. */
    KeyringView with(PublicKeyFiles.Found keys) {
        Map<Integer, KeyEntry> found = new HashMap<>();
        rows(row -> !columns.hasPublicKey(row))
                .forEach(row -> keys.of(columns.address(row))
                        .ifPresent(key -> found.put(row, columns.entry(row).withPublicKey(key))));
        return found.isEmpty() ? this : replaced(found);
    }

    public List<KeyEntry> withoutPublicKey() {
        return rows(row -> !columns.hasPublicKey(row)).mapToObj(columns::entry).toList();
    }

    private IntStream rows(IntPredicate chosen) {
        return IntStream.range(0, size).filter(chosen);
    }

    public KeyringView grown(List<KeyEntry> added, long newNextIndex) {
        return new KeyringView(columns.with(size, added), size + added.size(), newNextIndex, unknownMembers, evmKey);
    }

    public KeyringView without(BitSet rows) {
        return new KeyringView(
                columns.without(size, rows), size - rows.cardinality(), nextIndex, unknownMembers, evmKey);
    }

    /** With other labels in some rows, or without. */
    KeyringView labelled(Map<Integer, Optional<String>> labels) {
        return new KeyringView(columns.labelled(size, labels), size, nextIndex, unknownMembers, evmKey);
    }

    /** With other entries of the same addresses in some rows, which keep their labels. */
    KeyringView replaced(Map<Integer, KeyEntry> replacements) {
        return new KeyringView(columns.replaced(size, replacements), size, nextIndex, unknownMembers, evmKey);
    }

    private static final class Entries extends AbstractList<KeyEntry> implements RandomAccess {
        private final KeyColumns columns;
        private final int size;

        Entries(KeyColumns columns, int size) {
            this.columns = columns;
            this.size = size;
        }

        @Override
        public KeyEntry get(int row) {
            if (row < 0 || row >= size) {
                throw new IndexOutOfBoundsException(row);
            }
            return columns.entry(row);
        }

        @Override
        public int size() {
            return size;
        }
    }
}
