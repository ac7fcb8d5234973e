package org.chainwalletd.keyring;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.RandomAccess;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listeners for changes of the keyring. Belongs to the Keyring actor. */
final class KeyListeners {
    private static final Logger LOG = LoggerFactory.getLogger(KeyListeners.class);

    private final List<KeyEvents> listeners = new ArrayList<>();

    void add(KeyEvents listener) {
        listeners.add(listener);
    }

    /** Informs the listeners of a durable batch. Empty when no listener has to be waited for before new keys are returned to their callers. */
    Optional<CompletableFuture<Void>> tell(KeyTable.Batch batch) {
        List<OwnKey> added = keys(batch.added(), batch.notes());
        List<OwnKey> learnt = keys(batch.learnt(), Map.of());
        Set<Address> removed = batch.gone();
        if (!learnt.isEmpty()) {
            listeners.forEach(listener -> guarded(() -> listener.learnt(learnt)));
        }
        if (!removed.isEmpty()) {
            listeners.forEach(listener -> guarded(() -> listener.removed(removed)));
        }
        if (added.isEmpty() || listeners.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(CompletableFuture.allOf(listeners.stream()
                .map(listener -> told(listener, added).toCompletableFuture())
                .toArray(CompletableFuture[]::new)));
    }

    private static List<OwnKey> keys(List<KeyEntry> entries, Map<Address, KeyNote> notes) {
        return entries.stream()
                .map(entry -> OwnKeys.key(entry, Optional.ofNullable(notes.get(entry.address()))))
                .toList();
    }

    /** Turns an exception thrown by a listener into a failed stage: listeners are foreign code and must not stop the actor. */
    private static CompletionStage<Void> told(KeyEvents listener, List<OwnKey> added) {
        try {
            return listener.added(added);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void guarded(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException e) {
            LOG.error("a listener failed on a change of the keyring", e);
        }
    }

    /** Keys of one point in time with their notes; each element is created when it is read. */
    static final class OwnKeys extends AbstractList<OwnKey> implements RandomAccess {
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
}
