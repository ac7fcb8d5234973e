package org.chainwalletd.keyring.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Public part of the keyring in memory, indexed by address. Belongs to the Keyring actor, except for the published view, which any thread
 * reads, and batches, which the disk executor reads.
 */
public final class KeyTable {
    private final AtomicReference<KeyringView> published;
    private KeyringView view;
    /** Null until first needed. */
    private AddressIndex index;

    public KeyTable(KeyringView view, AtomicReference<KeyringView> published) {
        this.published = published;
        this.view = view;
        published.set(view);
    }

    public Optional<KeyEntry> find(Address address) {
        int row = row(address);
        return row < 0 ? Optional.empty() : Optional.of(view.columns().entry(row));
    }

    public boolean contains(Address address) {
        return row(address) >= 0;
    }

    private int row(Address address) {
        prepareIndex();
        return index.find(view.columns().records(), address.toArray());
    }

    /** Builds the index now rather than at the first lookup. */
    public void prepareIndex() {
        if (index == null) {
            index = AddressIndex.of(view.columns().records(), view.size());
        }
    }

    public KeyringView view() {
        return view;
    }

    /** Changes that become durable with one write of {@code state.json}. */
    public record Batch(List<Change> changes, KeyringView before, KeyringView after) {
        /** Whether {@code state.json} has to be written. */
        public boolean changesState() {
            return !changes.stream().allMatch(Change::onlyLearns);
        }

        /** Whether entries are only appended to the list. */
        boolean onlyAdds() {
            return changes.stream()
                    .allMatch(change -> change.removed().isEmpty()
                            && change.replaced().isEmpty()
                            && change.labels().isEmpty()
                            && change.evmKey().isEmpty());
        }

        public Map<Address, KeyNote> notes() {
            Map<Address, KeyNote> notes = new LinkedHashMap<>();
            changes.forEach(change -> notes.putAll(change.notes()));
            return notes;
        }

        public List<KeyEntry> added() {
            return changes.stream().flatMap(change -> change.added().stream()).toList();
        }

        /** Entries whose public keys must be stored; a key that only got a derivation index had its public key before. */
        List<KeyEntry> withNewKeys() {
            List<KeyEntry> entries = new ArrayList<>(added());
            entries.addAll(learnt());
            return entries;
        }

        /** Keys whose public key has become known. */
        public List<KeyEntry> learnt() {
            return changes.stream()
                    .filter(Change::onlyLearns)
                    .flatMap(change -> change.replaced().values().stream())
                    .toList();
        }

        public Set<Address> gone() {
            Set<Address> gone = new HashSet<>();
            changes.forEach(change -> gone.addAll(change.removed()));
            return gone;
        }
    }

    /** Computes the keyring after {@code changes}; modifies nothing yet. One batch at a time. */
    public Batch prepare(List<Change> changes) {
        Map<Integer, KeyEntry> replaced = new HashMap<>();
        BitSet removed = new BitSet();
        List<KeyEntry> added = new ArrayList<>();
        long nextIndex = view.nextIndex();
        Map<Integer, Optional<String>> labels = new HashMap<>();
        Optional<Change.EvmKeyChange> evmKey = Optional.empty();
        for (Change change : changes) {
            change.replaced().forEach((address, entry) -> {
                if (contains(address)) {
                    replaced.put(row(address), entry);
                }
            });
            change.labels().forEach((address, label) -> {
                if (contains(address)) {
                    labels.put(row(address), label);
                }
            });
            change.removed().stream().filter(this::contains).forEach(address -> removed.set(row(address)));
            added.addAll(change.added());
            nextIndex = Math.max(nextIndex, change.nextIndex());
            evmKey = change.evmKey().isPresent() ? change.evmKey() : evmKey;
        }
        KeyringView after = replaced.isEmpty() ? view : view.replaced(replaced);
        after = labels.isEmpty() ? after : after.labelled(labels);
        if (!removed.isEmpty()) {
            after = after.without(removed);
        }
        if (evmKey.isPresent()) {
            after = after.withEvmKey(evmKey.get().after());
        }
        return new Batch(List.copyOf(changes), view, after.grown(added, nextIndex));
    }

    /**
     * Prepares other daemons' changes, to be accepted at once; empty when all of them are known.
     *
     * @param news changes, possibly including those of this daemon itself
     */
    public Optional<Batch> fold(KeyringNews news) {
        List<KeyEntry> added = new ArrayList<>();
        Map<Address, KeyEntry> replaced = new HashMap<>();
        Map<Address, Optional<String>> labels = new HashMap<>();
        for (KeyEntry entry : news.changed()) {
            Optional<KeyEntry> known = find(entry.address());
            if (known.isEmpty()) {
                added.add(entry);
                continue;
            }
            if (!known.get().label().equals(entry.label())) {
                labels.put(entry.address(), entry.label());
            }
            if (!known.get().equals(entry.withLabel(known.get().label()))) {
                replaced.put(entry.address(), entry);
            }
        }
        Set<Address> removed = new HashSet<>(news.deleted());
        removed.removeIf(address -> !contains(address));
        boolean otherMembers = !sameMembers(view.unknownMembers(), news.members());
        if (added.isEmpty()
                && replaced.isEmpty()
                && labels.isEmpty()
                && removed.isEmpty()
                && news.nextIndex() <= view.nextIndex()
                && !otherMembers) {
            return Optional.empty();
        }
        Batch batch = prepare(List.of(
                new Change(
                        Optional.empty(),
                        added,
                        news.notes(),
                        Map.of(),
                        labels,
                        removed,
                        news.nextIndex(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        false,
                        failure -> {}),
                Change.learning(replaced)));
        return Optional.of(
                otherMembers
                        ? new Batch(
                                batch.changes(), batch.before(), batch.after().withMembers(news.members()))
                        : batch);
    }

    private static boolean sameMembers(Map<String, byte[]> one, Map<String, byte[]> other) {
        return one.keySet().equals(other.keySet())
                && one.keySet().stream().allMatch(name -> Arrays.equals(one.get(name), other.get(name)));
    }

    /** Returns why a change no longer applies to the current keyring; empty when it does. */
    public Optional<KeyringException> objection(Change change) {
        Optional<Address> present = change.added().stream()
                .map(KeyEntry::address)
                .filter(this::contains)
                .findFirst();
        Optional<Address> missing = Stream.concat(change.labels().keySet().stream(), change.removed().stream())
                .filter(address -> !contains(address))
                .findFirst();
        boolean otherIndex =
                change.expectedIndex().isPresent() && change.expectedIndex().getAsLong() != view.nextIndex();
        boolean otherEvmKey = change.evmKey()
                .filter(evm -> !evm.before().equals(view.evmKey()))
                .isPresent();
        if (otherIndex || otherEvmKey || change.expectedIndex().isPresent() && present.isPresent()) {
            return Optional.of(KeyringFailures.changedElsewhere());
        }
        return present.map(KeyringFailures::present).or(() -> missing.map(KeyringFailures::unknown));
    }

    /** Makes a durable batch the current state. */
    public void accept(Batch batch) {
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
    public List<KeyEntry> derivedWithoutPublicKey() {
        return view.withoutPublicKey().stream()
                .filter(entry -> !entry.imported())
                .toList();
    }

    /**
     * Change of the public part of the keyring that is not durable yet.
     *
     * @param before crash point between the writing of the sealed files and the record; empty when {@code state.json} is not written for
     *     this change
     * @param notes notes of added keys
     * @param replaced new entries for existing addresses, which keep their labels
     * @param labels new labels of existing addresses
     * @param nextIndex index of the next legacy HD key after this change; 0 leaves it unchanged
     * @param expectedIndex index of the next legacy HD key before this change; empty when the change derives none
     * @param unlessUsed whether to refuse the removal of a key that anything unfinished in a shared store needs
     * @param evmKey empty leaves the account-chain key unchanged
     * @param ended called on the actor's thread when the change is durable, or with the reason why it failed
     */
    public record Change(
            Optional<CrashPoint> before,
            List<KeyEntry> added,
            Map<Address, KeyNote> notes,
            Map<Address, KeyEntry> replaced,
            Map<Address, Optional<String>> labels,
            Set<Address> removed,
            long nextIndex,
            OptionalLong expectedIndex,
            Optional<EvmKeyChange> evmKey,
            boolean unlessUsed,
            Consumer<Optional<KeyringException>> ended) {
        /** Creates a change of entries and labels only. */
        private Change(
                Optional<CrashPoint> before,
                List<KeyEntry> added,
                Map<Address, KeyNote> notes,
                Map<Address, KeyEntry> replaced,
                Map<Address, Optional<String>> labels,
                Consumer<Optional<KeyringException>> ended) {
            this(
                    before,
                    added,
                    notes,
                    replaced,
                    labels,
                    Set.of(),
                    0,
                    OptionalLong.empty(),
                    Optional.empty(),
                    false,
                    ended);
        }

        public static Change adding(
                CrashPoint before,
                List<KeyEntry> added,
                Map<Address, KeyNote> notes,
                Consumer<Optional<KeyringException>> ended) {
            return new Change(Optional.of(before), added, notes, Map.of(), Map.of(), ended);
        }

        /** Creates a change of entries whose public keys became known, which {@code state.json} does not hold. */
        public static Change learning(Map<Address, KeyEntry> learnt) {
            return new Change(Optional.empty(), List.of(), Map.of(), learnt, Map.of(), failure -> {});
        }

        /** Whether {@code state.json} stays unchanged. */
        boolean onlyLearns() {
            return before.isEmpty() && labels.isEmpty();
        }

        /** @param label empty removes the label */
        public static Change labelling(
                Address address, Optional<String> label, Consumer<Optional<KeyringException>> ended) {
            return new Change(Optional.empty(), List.of(), Map.of(), Map.of(), Map.of(address, label), ended);
        }

        /** @param unlessUsed whether to keep the key when anything unfinished in a shared store needs it */
        public static Change removing(Address address, boolean unlessUsed, Consumer<Optional<KeyringException>> ended) {
            return new Change(
                    Optional.of(CrashPoint.DELETE_BEFORE_STATE),
                    List.of(),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Set.of(address),
                    0,
                    OptionalLong.empty(),
                    Optional.empty(),
                    unlessUsed,
                    ended);
        }

        public static Change ofEvmKey(
                CrashPoint before, EvmKeyChange change, Consumer<Optional<KeyringException>> ended) {
            return new Change(
                    Optional.of(before),
                    List.of(),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Set.of(),
                    0,
                    OptionalLong.empty(),
                    Optional.of(change),
                    false,
                    ended);
        }

        /**
         * Change of the record of the account-chain key.
         *
         * @param before the record when the change was decided
         * @param after empty when the keyring no longer has its own account-chain key
         * @param sealed new blobs that a shared store writes in the same commit; a folder store has written them before
         * @param removed places that a shared store clears in the same commit; a folder store clears them afterwards
         */
        public record EvmKeyChange(
                Optional<EvmKeyRecord> before,
                Optional<EvmKeyRecord> after,
                Map<SealedPlace, SealedBlob> sealed,
                List<SealedPlace> removed) {}
    }
}
