package org.chainwalletd.keyring;

import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.RandomAccess;

/** The keys of one moment with what is noted of them, each made when it is read. */
final class OwnKeys extends AbstractList<OwnKey> implements RandomAccess {
    private final List<KeyEntry> entries;
    private final KeyringStore.KeyNotes notes;

    OwnKeys(List<KeyEntry> entries, KeyringStore.KeyNotes notes) {
        this.entries = entries;
        this.notes = notes;
    }

    @Override
    public OwnKey get(int index) {
        KeyEntry entry = entries.get(index);
        return key(entry, notes.of(entry.address()));
    }

    @Override
    public int size() {
        return entries.size();
    }

    static OwnKey key(KeyEntry entry, Optional<KeyNote> note) {
        return new OwnKey(
                entry.address(), entry.publicKey(), note.map(KeyNote::birth).orElse(OptionalLong.empty()));
    }
}
