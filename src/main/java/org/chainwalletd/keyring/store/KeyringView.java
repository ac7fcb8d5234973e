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
 * Public part of the whole keyring at one point in time; immutable to readers. Entries are in the order of {@code state.json}: legacy HD
 * keys by index, then the 1:1 keys in file order, then those added since.
 *
 * <p>Appending costs only the added entries: successors share columns, of which each view reads its own first {@code size} rows. So only
 * the owner may grow a view, only the newest one, and must replace it by the successor once that is durable.
 */
public final class KeyringView {
    private final KeyColumns columns;
    private final int size;
    private final long nextIndex;
    private final Map<String, byte[]> unknownMembers;
    private final Optional<EvmKeyRecord> evmKey;

    /**
     * @param unknownMembers members of {@code state.json} beyond the four of every keyring, by name, as JSON text in UTF-8
     * @throws IllegalArgumentException when the member about the account-chain key is damaged
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

    /** Creates a view; see the constructor. */
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

    /** Record of the account-chain key, unless that is derived from the seed. */
    public Optional<EvmKeyRecord> evmKey() {
        return evmKey;
    }

    /** Returns a view with another account-chain key, or without one. */
    KeyringView withEvmKey(Optional<EvmKeyRecord> key) {
        Map<String, byte[]> members = new LinkedHashMap<>(unknownMembers);
        members.remove(EvmKeyRecord.MEMBER);
        key.ifPresent(there -> members.put(EvmKeyRecord.MEMBER, there.json()));
        return new KeyringView(columns, size, nextIndex, Collections.unmodifiableMap(members), key);
    }

    /** Returns a view with other members; see the constructor. */
    KeyringView withMembers(Map<String, byte[]> members) {
        return new KeyringView(columns, size, nextIndex, new LinkedHashMap<>(members));
    }

    /** Columns whose first {@link #size} rows belong to this view. */
    public KeyColumns columns() {
        return columns;
    }

    /** Entries, created on access; only entries that the caller keeps use memory. */
    public List<KeyEntry> entries() {
        return new Entries(columns, size);
    }

    /** Addresses of 1:1 keys. */
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

    /** Returns a view in which missing public keys are filled in from {@code keys}. */
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

    /** Returns a view with labels changed or removed in some rows. */
    KeyringView labelled(Map<Integer, Optional<String>> labels) {
        return new KeyringView(columns.labelled(size, labels), size, nextIndex, unknownMembers, evmKey);
    }

    /** Returns a view with some entries replaced by others of the same addresses, which keep their labels. */
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
