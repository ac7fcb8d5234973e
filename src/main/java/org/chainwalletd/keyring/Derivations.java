package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringActor.Command;
import org.chainwalletd.keyring.KeyringActor.Derive;
import org.chainwalletd.keyring.KeyringActor.Derived;
import org.chainwalletd.store.CrashPoint;

/**
 * The way of legacy HD keys into the keyring. One batch is under way at a time, so that indexes become durable in their order and without a
 * gap. Only an index whose public key is known without being listed is left out: where {@code state.json} was put back to an older one, it is
 * somebody's address. Belongs to the Keyring actor.
 */
final class Derivations {
    private final ActorContext<Command> context;
    private final KeyTable table;
    private final StateWrites writes;
    private final KeyWork work;
    private final KeyringStore store;
    private final Set<Address> moving;
    private final UnsealedKeys unsealed;
    private final Executor crypto;
    private final List<Derive> waiting = new ArrayList<>();
    /** Null until the first key is asked for: the files need not be read at the start. */
    private CompletableFuture<Set<Address>> taken;

    private boolean running;
    private boolean stopped;

    /** @param crypto goes on when the files are read */
    Derivations(KeyringActor.Shared shared, Executor crypto) {
        this.crypto = crypto;
        this.context = shared.context();
        this.table = shared.table();
        this.writes = shared.writes();
        this.work = shared.work();
        this.store = shared.store();
        this.moving = shared.moving();
        this.unsealed = shared.unsealed();
    }

    /** The seed is unsealed. */
    void begin(Derive question) {
        waiting.add(question);
        next();
    }

    private void next() {
        if (running || stopped || waiting.isEmpty()) {
            return;
        }
        List<Derive> batch = List.copyOf(waiting);
        waiting.clear();
        running = true;
        if (taken == null || taken.isCompletedExceptionally()) {
            taken = store.unlisted(table.view());
        }
        SecretBytes seed = unsealed.seed();
        long first = table.view().nextIndex();
        List<Optional<String>> labels = batch.stream().map(Derive::label).toList();
        context.pipeToSelf(
                taken.thenComposeAsync(addresses -> work.deriveEntries(seed, first, labels, addresses), crypto),
                (entries, failure) -> new Derived(batch, entries, failure));
    }

    void derived(Derived outcome) {
        if (outcome.failure() != null) {
            end(outcome, KeyringFailures.of(outcome.failure()));
            return;
        }
        Set<Address> addresses =
                outcome.entries().stream().map(KeyEntry::address).collect(Collectors.toSet());
        if (!Collections.disjoint(addresses, moving)) {
            end(outcome, KeyringFailures.moving());
            return;
        }
        moving.addAll(addresses);
        writes.submit(change(outcome.entries(), failure -> {
            moving.removeAll(addresses);
            end(outcome, failure);
        }));
    }

    /** What {@code derived} changes; a key that was imported before keeps its file and label, and gets its index. */
    private Change change(List<KeyEntry> derived, Consumer<KeyringException> ended) {
        Map<Address, KeyEntry> merged = new HashMap<>();
        List<KeyEntry> added = new ArrayList<>();
        for (KeyEntry entry : derived) {
            table.find(entry.address())
                    .ifPresentOrElse(
                            present -> merged.put(entry.address(), present.withIndex(entry.index())),
                            () -> added.add(entry));
        }
        long last = derived.get(derived.size() - 1).index().orElseThrow();
        return new Change(
                CrashPoint.MINT_BEFORE_STATE, added, Map.of(), merged, Set.of(), last + 1, Optional.empty(), ended);
    }

    /** @param failure null when the entries are durable */
    private void end(Derived outcome, KeyringException failure) {
        running = false;
        for (int i = 0; i < outcome.questions().size(); i++) {
            KeyringFailures.answer(
                    outcome.questions().get(i).reply(),
                    failure == null ? outcome.entries().get(i) : null,
                    failure);
        }
        next();
    }

    /** Nothing new is begun; who waits is refused. */
    void stop(KeyringException refusal) {
        stopped = true;
        waiting.forEach(question -> question.refuse(refusal));
        waiting.clear();
    }
}
