package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyringActor.Derive;
import org.chainwalletd.store.CrashPoint;

/**
 * Who asked for the next legacy HD key. One batch is under way at a time, so that indexes become durable in their order and without a gap.
 * Belongs to the Keyring actor.
 */
final class Derivations {
    private final List<Derive> waiting = new ArrayList<>();
    private boolean running;

    void add(Derive question) {
        waiting.add(question);
    }

    /** Begins a batch of all that wait; empty when one is under way or nobody waits. */
    List<Derive> begin() {
        if (running || waiting.isEmpty()) {
            return List.of();
        }
        List<Derive> batch = List.copyOf(waiting);
        waiting.clear();
        running = true;
        return batch;
    }

    static List<Optional<String>> labels(List<Derive> batch) {
        return batch.stream().map(Derive::label).toList();
    }

    /** What {@code derived} changes; a key that was imported before keeps its file and label, and gets its index. */
    static Change change(List<KeyEntry> derived, KeyTable table, Consumer<KeyringException> ended) {
        Map<Address, KeyEntry> merged = new HashMap<>();
        List<KeyEntry> added = new ArrayList<>();
        for (KeyEntry entry : derived) {
            table.find(entry.address())
                    .ifPresentOrElse(
                            present -> merged.put(entry.address(), present.withIndex(entry.index())),
                            () -> added.add(entry));
        }
        long last = derived.get(derived.size() - 1).index().orElseThrow();
        return new Change(CrashPoint.MINT_BEFORE_STATE, added, merged, Set.of(), last + 1, ended);
    }

    /** @param failure null when {@code entries} are durable */
    void end(List<Derive> batch, List<KeyEntry> entries, KeyringException failure) {
        running = false;
        for (int i = 0; i < batch.size(); i++) {
            if (failure == null) {
                batch.get(i).reply().complete(entries.get(i));
            } else {
                batch.get(i).reply().completeExceptionally(failure);
            }
        }
    }

    void refuse(KeyringException refusal) {
        waiting.forEach(question -> question.reply().completeExceptionally(refusal));
        waiting.clear();
    }
}
