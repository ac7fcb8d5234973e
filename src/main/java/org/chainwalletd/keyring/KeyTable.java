package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;

/**
 * The public side of the keyring in memory, with its index by address. Belongs to the Keyring actor, except for the view that it publishes
 * for readers, and for batches, which the disk executor reads.
 */
final class KeyTable {
    private final AtomicReference<KeyringView> published;
    private KeyringView view;
    /** Null until it is needed. */
    private AddressIndex index;

    KeyTable(KeyringView view, AtomicReference<KeyringView> published) {
        this.published = published;
        this.view = view;
        published.set(view);
    }

    Optional<KeyEntry> find(Address address) {
        int row = row(address);
        return row < 0 ? Optional.empty() : Optional.of(view.columns().entry(row));
    }

    boolean contains(Address address) {
        return row(address) >= 0;
    }

    private int row(Address address) {
        prepareIndex();
        return index.find(view.columns().records(), address.toArray());
    }

    /** Makes the index now instead of at the first question. */
    void prepareIndex() {
        if (index == null) {
            index = AddressIndex.of(view.columns().records(), view.size());
        }
    }

    KeyringView view() {
        return view;
    }

    /** Several changes that become durable with one write of {@code state.json}. */
    record Batch(List<Change> changes, KeyringView after) {
        /** Whether {@code state.json} is written at all. */
        boolean changesState() {
            return !changes.stream().allMatch(Change::onlyLearns);
        }

        /** Whether what is listed only grows, behind what was there. */
        boolean onlyAdds() {
            return changes.stream()
                    .allMatch(change -> change.removed().isEmpty()
                            && change.replaced().isEmpty()
                            && change.evmKey().isEmpty());
        }

        Map<Address, KeyNote> notes() {
            Map<Address, KeyNote> notes = new LinkedHashMap<>();
            changes.forEach(change -> notes.putAll(change.notes()));
            return notes;
        }

        List<KeyEntry> added() {
            return changes.stream().flatMap(change -> change.added().stream()).toList();
        }

        /** A key that only got a derivation index had its public key before. */
        List<KeyEntry> withNewKeys() {
            List<KeyEntry> entries = new ArrayList<>(added());
            entries.addAll(learnt());
            return entries;
        }

        /** Those whose public key was not known before. */
        List<KeyEntry> learnt() {
            return changes.stream()
                    .filter(Change::onlyLearns)
                    .flatMap(change -> change.replaced().values().stream())
                    .toList();
        }

        Set<Address> gone() {
            Set<Address> gone = new HashSet<>();
            changes.forEach(change -> gone.addAll(change.removed()));
            return gone;
        }
    }

    /** What the keyring will be after {@code changes}; nothing is changed yet. One batch at a time. */
    Batch prepare(List<Change> changes) {
        Map<Integer, KeyEntry> replaced = new HashMap<>();
        BitSet removed = new BitSet();
        List<KeyEntry> added = new ArrayList<>();
        long nextIndex = view.nextIndex();
        Optional<EvmKeyChange> evmKey = Optional.empty();
        for (Change change : changes) {
            change.replaced().forEach((address, entry) -> {
                if (contains(address)) {
                    replaced.put(row(address), entry);
                }
            });
            change.removed().stream().filter(this::contains).forEach(address -> removed.set(row(address)));
            added.addAll(change.added());
            nextIndex = Math.max(nextIndex, change.nextIndex());
            evmKey = change.evmKey().isPresent() ? change.evmKey() : evmKey;
        }
        KeyringView after = replaced.isEmpty() ? view : view.replaced(replaced);
        if (!removed.isEmpty()) {
            after = after.without(removed);
        }
        if (evmKey.isPresent()) {
            after = after.withEvmKey(evmKey.get().after());
        }
        return new Batch(List.copyOf(changes), after.grown(added, nextIndex));
    }

    /** The batch is on the disk. */
    void accept(Batch batch) {
        int before = view.size();
        view = batch.after();
        if (batch.changes().stream().anyMatch(change -> !change.removed().isEmpty())) {
            index = null;
        } else if (index != null) {
            for (int row = before; row < view.size(); row++) {
                index.add(view.columns().records(), row);
            }
        }
        published.set(view);
    }

    /** Legacy HD keys whose public key is not known yet. */
    List<KeyEntry> derivedWithoutPublicKey() {
        return view.withoutPublicKey().stream()
                .filter(entry -> !entry.imported())
                .toList();
    }
}
