package org.chainwalletd.keyring;

import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes to the disk, one write at a time: what comes while one is being written goes into the next one together. Belongs to the
 * Keyring actor; only the writing itself runs on the disk executor.
 */
final class StateWrites {
    private static final Logger LOG = LoggerFactory.getLogger(StateWrites.class);

    private final KeyTable table;
    private final PublicKeyFiles publicKeys;
    private final StateFile stateFile;
    private final Executor disk;
    private final Counter writes;
    private final BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun;
    private final List<Change> waiting = new ArrayList<>();
    private boolean writing;

    /** @param begun told of each write that was begun; must lead to {@link #ended} on the actor's thread */
    StateWrites(
            KeyTable table,
            PublicKeyFiles publicKeys,
            StateFile stateFile,
            Executor disk,
            Counter writes,
            BiConsumer<KeyTable.Batch, CompletableFuture<Void>> begun) {
        this.table = table;
        this.publicKeys = publicKeys;
        this.stateFile = stateFile;
        this.disk = disk;
        this.writes = writes;
        this.begun = begun;
        stateFile.opened(table.view());
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
        }
        batch.changes().forEach(change -> change.ended().accept(failure));
        prepareNext();
        if (!writing && !waiting.isEmpty()) {
            write();
        }
    }

    /** Nothing is written any more; who waits is refused. */
    void stop(KeyringException refusal) {
        List<Change> refused = List.copyOf(waiting);
        waiting.clear();
        refused.forEach(change -> change.ended().accept(refusal));
        disk.execute(stateFile::close);
    }

    private void write() {
        writing = true;
        KeyTable.Batch batch = table.prepare(waiting);
        waiting.clear();
        begun.accept(
                batch,
                CompletableFuture.runAsync(() -> KeyringFailures.io(() -> batch.write(publicKeys, stateFile)), disk));
    }

    /** Makes the next change of a large keyring cheap. */
    void prepareNext() {
        disk.execute(() -> {
            try {
                stateFile.prepare();
            } catch (IOException e) {
                LOG.warn("the next write of state.json will be a full one: {}", e.getMessage());
            }
        });
    }
}
