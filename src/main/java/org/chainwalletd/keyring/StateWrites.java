package org.chainwalletd.keyring;

import io.micrometer.core.instrument.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Brings changes to the store, one write at a time: what comes while one is being written goes into the next one together. Belongs to the
 * Keyring actor.
 */
final class StateWrites {
    private final KeyTable table;
    private final KeyringStore store;
    private final Counter writes;
    private final BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun;
    private final KeyAudience audience;
    private final BiConsumer<KeyTable.Batch, CompletableFuture<Void>> telling;
    private final List<Change> waiting = new ArrayList<>();
    private boolean writing;

    /**
     * @param begun told of each write that was begun; must lead to {@link #ended} on the actor's thread
     * @param telling told when the audience is being told of new keys; must lead to {@link #told} on the actor's thread
     */
    StateWrites(
            KeyTable table,
            KeyringStore store,
            Counter writes,
            BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun,
            KeyAudience audience,
            BiConsumer<KeyTable.Batch, CompletableFuture<Void>> telling) {
        this.table = table;
        this.store = store;
        this.writes = writes;
        this.begun = begun;
        this.audience = audience;
        this.telling = telling;
    }

    boolean isWriting() {
        return writing;
    }

    void submit(Change change) {
        waiting.add(change);
        if (!writing) {
            write();
        }
    }

    /** @param failure null when the batch is on the disk */
    void ended(KeyTable.Batch batch, KeyringException failure) {
        writing = false;
        if (failure == null) {
            table.accept(batch);
            if (batch.changesState()) {
                writes.increment();
            }
            audience.tell(batch)
                    .ifPresentOrElse(telling -> this.telling.accept(batch, telling), () -> answer(batch, null, null));
        } else {
            answer(batch, failure, failure);
        }
        prepareNext();
        if (!writing && !waiting.isEmpty()) {
            write();
        }
    }

    /** @param failure null when everybody who has to knows of the batch's new keys */
    void told(KeyTable.Batch batch, Throwable failure) {
        answer(batch, failure == null ? null : KeyringFailures.unheard(batch.added(), failure), null);
    }

    /**
     * @param ofNew what becomes of changes that add keys; null for the best
     * @param ofOthers what becomes of all others; null for the best
     */
    private static void answer(KeyTable.Batch batch, KeyringException ofNew, KeyringException ofOthers) {
        batch.changes().forEach(change -> change.ended().accept(change.added().isEmpty() ? ofOthers : ofNew));
    }

    /** Nothing is written any more; who waits is refused. */
    void stop(KeyringException refusal) {
        List<Change> refused = List.copyOf(waiting);
        waiting.clear();
        refused.forEach(change -> change.ended().accept(refusal));
        store.close();
    }

    private void write() {
        writing = true;
        KeyTable.Batch batch = table.prepare(waiting);
        waiting.clear();
        begun.accept(batch, store.record(batch));
    }

    /** Makes the next change of a large keyring cheap. */
    void prepareNext() {
        store.prepare();
    }
}
