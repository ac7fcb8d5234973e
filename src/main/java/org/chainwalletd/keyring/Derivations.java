package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringProtocol.Derive;
import org.chainwalletd.keyring.KeyringProtocol.Derived;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Steps by which legacy HD keys enter the keyring. One batch is in progress at a time, so that indexes become durable in order and without
 * gaps. Skips only an index whose public key is stored although its address is not listed: after {@code state.json} was restored from an
 * older copy, that address may already have been given to someone. Belongs to the Keyring actor.
 */
final class Derivations {
    private static final int MOST_TRIES = 100;

    private final KeyringParts keyring;
    private final Unsealings unsealings;
    private final List<Derive> waiting = new ArrayList<>();
    /** Empty until the first derivation: the files need not be read at start. */
    private Optional<CompletableFuture<Set<Address>>> taken = Optional.empty();

    private boolean running;
    private boolean stopped;
    /** First index of the batch in progress. */
    private long first;

    /** Consecutive conflicts in which another daemon recorded the same index first. */
    private int conflicts;

    Derivations(KeyringParts keyring, Unsealings unsealings) {
        this.keyring = keyring;
        this.unsealings = unsealings;
    }

    /** Requires an unsealed seed. */
    void begin(Derive question) {
        waiting.add(question);
        next();
    }

    private void next() {
        if (running || stopped) {
            return;
        }
        waiting.removeIf(Derivations::refusesAbandoned);
        if (waiting.isEmpty()) {
            return;
        }
        List<Derive> batch = List.copyOf(waiting);
        waiting.clear();
        running = true;
        CompletableFuture<Set<Address>> known = taken.filter(reading -> !reading.isCompletedExceptionally())
                .orElseGet(() -> unlisted(keyring.table().view()));
        taken = Optional.of(known);
        SecretBytes seed = unsealings.seed().orElseThrow();
        first = keyring.table().view().nextIndex();
        long from = first;
        List<Optional<String>> labels = batch.stream().map(Derive::label).toList();
        Outcome.pipe(
                keyring.context(),
                known.thenApplyAsync(
                        addresses -> keyring.work().deriveEntries(seed, from, labels, addresses),
                        keyring.executors().crypto()),
                entries -> new Derived(batch, entries));
    }

    private static boolean refusesAbandoned(Derive question) {
        boolean abandoned = question.abandoned().getAsBoolean();
        if (abandoned) {
            question.refuse(KeyringFailures.abandoned());
        }
        return abandoned;
    }

    private CompletableFuture<Set<Address>> unlisted(KeyringView view) {
        return Work.on(keyring.executors().disk(), () -> keyring.store().unlisted(view));
    }

    void derived(Derived outcome) {
        outcome.entries()
                .match(
                        entries -> record(outcome.questions(), entries),
                        failure -> refuse(outcome.questions(), KeyringFailures.of(failure)));
    }

    private void record(List<Derive> questions, List<KeyEntry> entries) {
        Set<Address> addresses = entries.stream().map(KeyEntry::address).collect(Collectors.toSet());
        if (!Collections.disjoint(addresses, keyring.moving())) {
            refuse(questions, KeyringFailures.moving());
            return;
        }
        keyring.moving().addAll(addresses);
        keyring.writes().submit(change(entries, failure -> {
            keyring.moving().removeAll(addresses);
            failure.ifPresentOrElse(
                    refusal -> {
                        if (refusal.reason() == KeyringException.Reason.CONFLICT && conflicts < MOST_TRIES) {
                            again(questions);
                        } else {
                            refuse(questions, refusal);
                        }
                    },
                    () -> answer(questions, entries));
        }));
    }

    /** Repeats a batch after another daemon has recorded its first index; the new next index is in memory by now. */
    private void again(List<Derive> questions) {
        conflicts++;
        running = false;
        waiting.addAll(0, questions);
        if (stopped) {
            stop(KeyringFailures.stopping());
        } else {
            next();
        }
    }

    /** Builds the change for {@code derived}; a key that was imported before keeps its file and label and gets its index. */
    private KeyTable.Change change(List<KeyEntry> derived, Consumer<Optional<KeyringException>> ended) {
        Map<Address, KeyEntry> merged = new HashMap<>();
        List<KeyEntry> added = new ArrayList<>();
        for (KeyEntry entry : derived) {
            keyring.table()
                    .find(entry.address())
                    .ifPresentOrElse(
                            present -> merged.put(entry.address(), present.withIndex(entry.index())),
                            () -> added.add(entry));
        }
        long last = derived.get(derived.size() - 1).index().orElseThrow();
        return new KeyTable.Change(
                Optional.of(CrashPoint.MINT_BEFORE_STATE),
                added,
                Map.of(),
                merged,
                Map.of(),
                Set.of(),
                last + 1,
                OptionalLong.of(first),
                Optional.empty(),
                false,
                ended);
    }

    private void refuse(List<Derive> questions, KeyringException refusal) {
        running = false;
        questions.forEach(question -> question.refuse(refusal));
        next();
    }

    /** Answers after the entries are durable. */
    private void answer(List<Derive> questions, List<KeyEntry> entries) {
        running = false;
        conflicts = 0;
        for (int i = 0; i < questions.size(); i++) {
            questions.get(i).reply().complete(entries.get(i));
        }
        next();
    }

    /** Starts nothing new and refuses all waiting questions. */
    void stop(KeyringException refusal) {
        stopped = true;
        waiting.forEach(question -> question.refuse(refusal));
        waiting.clear();
    }
}
