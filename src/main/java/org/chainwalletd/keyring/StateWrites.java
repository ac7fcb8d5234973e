package org.chainwalletd.keyring;

import io.micrometer.core.instrument.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;

/**
 * Brings changes to the store, one write at a time: what comes while one is being written goes into the next one together. Belongs to the
 * Keyring actor.
 */
final class StateWrites {
    private final KeyTable table;
    private final KeyringStore store;
    private final Executor disk;
    private final Counter writes;
    private final BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun;
    private final KeyListeners keyListeners;
    private final BiConsumer<KeyTable.Batch, CompletableFuture<Void>> telling;
    private final List<KeyTable.Change> waiting = new ArrayList<>();
    private boolean writing;

    /**
     * @param begun told of each write that was begun; must lead to {@link #ended} on the actor's thread
     * @param telling told when the listeners are being told of new keys; must lead to {@link #told} on the actor's thread
     */
    StateWrites(
            KeyTable table,
            KeyringStore store,
            Executor disk,
            Counter writes,
            BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun,
            KeyListeners keyListeners,
            BiConsumer<KeyTable.Batch, CompletableFuture<Void>> telling) {
        this.table = table;
        this.store = store;
        this.disk = disk;
        this.writes = writes;
        this.begun = begun;
        this.keyListeners = keyListeners;
        this.telling = telling;
    }

    boolean isWriting() {
        return writing;
    }

    void submit(KeyTable.Change change) {
        waiting.add(change);
        if (!writing) {
            write();
        }
    }

    /** @param written whether the batch is on the disk */
    void ended(KeyTable.Batch batch, Outcome<Void> written) {
        writing = false;
        written.match(done -> accept(batch), failure -> refuse(batch, KeyringFailures.of(failure)));
        prepareNext();
        if (!writing && !waiting.isEmpty()) {
            write();
        }
    }

    private void accept(KeyTable.Batch batch) {
        table.accept(batch);
        if (batch.changesState()) {
            writes.increment();
        }
        keyListeners
                .tell(batch)
                .ifPresentOrElse(heard -> telling.accept(batch, heard), () -> answer(batch, Optional.empty()));
    }

    private static void refuse(KeyTable.Batch batch, KeyringException failure) {
        batch.changes().forEach(change -> change.ended().accept(Optional.of(failure)));
    }

    /** @param heard whether everybody who has to knows of the batch's new keys */
    void told(KeyTable.Batch batch, Outcome<Void> heard) {
        answer(batch, heard.failure().map(failure -> KeyringFailures.unheard(batch.added(), failure)));
    }

    /** @param ofNew what is wrong with changes that add keys; all others have ended well */
    private static void answer(KeyTable.Batch batch, Optional<KeyringException> ofNew) {
        batch.changes().forEach(change -> change.ended().accept(change.added().isEmpty() ? Optional.empty() : ofNew));
    }

    /** Nothing is written any more; who waits is refused. */
    void stop(KeyringException refusal) {
        List<KeyTable.Change> refused = List.copyOf(waiting);
        waiting.clear();
        refused.forEach(change -> change.ended().accept(Optional.of(refusal)));
        disk.execute(store::close);
    }

    private void write() {
        writing = true;
        KeyTable.Batch batch = table.prepare(waiting);
        waiting.clear();
        begun.accept(batch, Flows.submit(disk, () -> {
            store.record(batch);
            return null;
        }));
    }

    /** Makes the next change of a large keyring cheap. */
    void prepareNext() {
        disk.execute(store::prepare);
    }
}
