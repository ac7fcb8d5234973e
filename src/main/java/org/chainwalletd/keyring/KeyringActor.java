package org.chainwalletd.keyring;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.store.CrashPoint;

/**
 * Owns the keys: addresses, labels, public keys, and the secrets that were unsealed. Hands Argon2id, signing and files out to executors and
 * takes the outcomes back as messages. Answers that something was stored come after it is durable; changes that meet while one is being
 * written share the next write of {@code state.json}.
 *
 * <p>Talks to nobody but the one who asks. It is never restarted: when it stops, its secrets are overwritten; the next process reads the
 * sealed files and {@code state.json} again.
 */
final class KeyringActor {
    /** What can be asked. Futures in messages fail with {@link KeyringException}. */
    sealed interface Command {}

    /** A command with an answer. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();
    }

    /** @param withPublicKey whether to unseal a key of another implementation once to learn it */
    record Find(Address address, boolean withPublicKey, CompletableFuture<Optional<KeyEntry>> reply)
            implements Question {}

    /** @param message not changed by anybody until the reply */
    record Sign(Address address, byte[] message, CompletableFuture<Signer.Signature> reply) implements Question {}

    /**
     * Takes 1:1 keys in; their secrets are overwritten when they are sealed. All of them become durable together.
     *
     * @param skipPresent whether keys that are there already are left out; otherwise one such key refuses all
     * @param reply the new entries in the given order
     */
    record Store(List<NewKey> keys, boolean skipPresent, CrashPoint before, CompletableFuture<List<KeyEntry>> reply)
            implements Question {}

    /** Derives the next legacy HD key. */
    record Derive(Optional<String> label, CompletableFuture<KeyEntry> reply) implements Question {}

    /** @param guard asked before anything is removed; empty for none */
    record Delete(Address address, Optional<DeletionGuard> guard, CompletableFuture<Address> reply)
            implements Question {}

    /** What an export needs. */
    record Lend(CompletableFuture<Lent> reply) implements Question {}

    /**
     * @param keys that are unsealed; may be closed at any time
     * @param passphrase of the keystore; the receiver closes it
     */
    record Lent(Map<Address, SigningKey> keys, SecretBytes passphrase) {}

    /** Ends after the running write; everything unsealed is overwritten. */
    record Close(CompletableFuture<Void> reply) implements Command {}

    private record Opened(KeyringView view) implements Command {}

    private record NotOpened(KeyringException failure) implements Command {}

    record Stored(Store question, List<NewKey> keys, Throwable failure) implements Command {}

    private record SeedUnsealed(SecretBytes seed, Throwable failure) implements Command {}

    private record Unsealed(Address address, SecretBytes secret, Throwable failure) implements Command {}

    private record Derived(List<Derive> questions, List<KeyEntry> entries, Throwable failure) implements Command {}

    private record Learnt(List<KeyEntry> entries, Throwable failure) implements Command {}

    record Objected(Delete question, Optional<String> objection, Throwable failure) implements Command {}

    record FilesRemoved(Delete question, Throwable failure) implements Command {}

    private record Written(KeyTable.Batch batch, Throwable failure) implements Command {}

    private final ActorContext<Command> context;
    private final KeyringSetup setup;
    private final SecretBytes passphrase;
    private final KeyFolder folder;
    private final KeyWork work;
    private final PublicKeyFiles publicKeys;
    private final AtomicReference<KeyringView> published;

    private final UnsealedKeys unsealed = new UnsealedKeys();
    private final Derivations derivations = new Derivations();
    /** Addresses that are on their way in or out. */
    private final Set<Address> moving = new HashSet<>();

    private KeyTable table;
    private StateWrites writes;
    private Arrivals arrivals;
    private Departures departures;
    private CompletableFuture<Void> closed;

    private KeyringActor(
            ActorContext<Command> context,
            KeyringSetup setup,
            SecretBytes passphrase,
            PublicKeyFiles publicKeys,
            AtomicReference<KeyringView> published) {
        this.context = context;
        this.setup = setup;
        this.passphrase = passphrase;
        this.folder = new KeyFolder(setup.wallets());
        this.work = new KeyWork(setup, folder);
        this.publicKeys = publicKeys;
        this.published = published;
    }

    /**
     * @param opening whose files are being read and whose passphrase is being proved; the passphrase belongs to the actor from now on
     * @param published gets a new view after every change
     * @param opened completes when the passphrase is proved and the files are read, and fails when the keyring cannot be opened
     */
    static Behavior<Command> create(
            Keyring.Opening opening, AtomicReference<KeyringView> published, CompletableFuture<Void> opened) {
        return Behaviors.setup(context -> new KeyringActor(
                        context, opening.setup(), opening.passphrase(), opening.publicKeys(), published)
                .opening(opening.view(), opened));
    }

    private Behavior<Command> opening(CompletableFuture<KeyringView> loading, CompletableFuture<Void> opened) {
        context.pipeToSelf(
                loading,
                (view, failure) -> failure == null ? new Opened(view) : new NotOpened(KeyringFailures.of(failure)));
        return Behaviors.receive(Command.class)
                .onMessage(Opened.class, message -> {
                    begin(message.view());
                    opened.complete(null);
                    return open();
                })
                .onMessage(NotOpened.class, message -> {
                    opened.completeExceptionally(message.failure());
                    return Behaviors.stopped();
                })
                .onMessage(Close.class, message -> {
                    opened.completeExceptionally(KeyringFailures.stopping());
                    message.reply().complete(null);
                    return Behaviors.stopped();
                })
                .onSignal(PostStop.class, signal -> wipe())
                .build();
    }

    private void begin(KeyringView view) {
        table = new KeyTable(view, published);
        writes = new StateWrites(
                table,
                publicKeys,
                new StateFile(folder.state()),
                setup.executors().disk(),
                KeyringMetrics.stateWrites(setup.metrics()),
                (batch, written) -> context.pipeToSelf(written, (done, failure) -> new Written(batch, failure)));
        arrivals = new Arrivals(context, table, writes, work, moving, passphrase);
        departures = new Departures(context, table, writes, work, moving, unsealed);
        new Housekeeping(folder, work, published::get, setup.executors().disk())
                .begin(passphrase, entry -> context.getSelf().tell(new Learnt(List.of(entry), null)));
    }

    private Behavior<Command> open() {
        return Behaviors.receive(Command.class)
                .onMessage(Find.class, this::onFind)
                .onMessage(Sign.class, this::onSign)
                .onMessage(Store.class, question -> handled(() -> arrivals.begin(question)))
                .onMessage(Derive.class, this::onDerive)
                .onMessage(Delete.class, question -> handled(() -> departures.begin(question)))
                .onMessage(Lend.class, this::onLend)
                .onMessage(Close.class, this::onClose)
                .onMessage(Stored.class, outcome -> handled(() -> arrivals.stored(outcome)))
                .onMessage(SeedUnsealed.class, this::onSeedUnsealed)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Derived.class, this::onDerived)
                .onMessage(Learnt.class, this::onLearnt)
                .onMessage(Objected.class, answer -> handled(() -> departures.objected(answer)))
                .onMessage(FilesRemoved.class, outcome -> handled(() -> departures.filesRemoved(outcome)))
                .onMessage(Written.class, this::onWritten)
                .onSignal(PostStop.class, signal -> wipe())
                .build();
    }

    /** Nothing new is begun; the write that runs is answered. */
    private Behavior<Command> closing() {
        return Behaviors.receive(Command.class)
                .onMessage(Written.class, this::onWritten)
                .onMessage(Question.class, question -> {
                    question.reply().completeExceptionally(KeyringFailures.stopping());
                    return Behaviors.same();
                })
                .onAnyMessage(message -> Behaviors.same())
                .onSignal(PostStop.class, signal -> wipe())
                .build();
    }

    private Behavior<Command> onFind(Find question) {
        Optional<KeyEntry> entry = table.find(question.address());
        SigningKey key = unsealed.key(question.address());
        if (entry.isEmpty() || !question.withPublicKey() || work.hasPublicKey(entry.get())) {
            question.reply().complete(entry);
        } else if (key != null) {
            question.reply().complete(Optional.of(entry.get().withPublicKey(PublicKey.of(key.publicKey()))));
        } else {
            unsealFor(entry.get(), question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onSign(Sign question) {
        Optional<KeyEntry> entry = table.find(question.address());
        SigningKey key = unsealed.key(question.address());
        if (entry.isEmpty()) {
            question.reply().completeExceptionally(KeyringFailures.unknown(question.address()));
        } else if (key == null) {
            unsealFor(entry.get(), question);
        } else {
            setup.executors().crypto().execute(() -> KeyWork.sign(key, question.message(), question.reply()));
        }
        return Behaviors.same();
    }

    /** Everybody who needs the same key waits for one Argon2id, and then asks again. */
    private void unsealFor(KeyEntry entry, Question question) {
        if (!entry.imported() && unsealed.seed() == null) {
            unsealSeedFor(question);
        } else if (unsealed.waitForKey(entry.address(), question)) {
            CompletableFuture<SecretBytes> secret =
                    entry.imported() ? work.unseal(entry, passphrase) : work.derived(entry, unsealed.seed());
            context.pipeToSelf(secret, (value, failure) -> new Unsealed(entry.address(), value, failure));
        }
    }

    private void unsealSeedFor(Question question) {
        if (unsealed.waitForSeed(question)) {
            context.pipeToSelf(work.unsealSeed(passphrase), SeedUnsealed::new);
        }
    }

    private Behavior<Command> onUnsealed(Unsealed outcome) {
        List<Question> waiting = unsealed.endWaitForKey(outcome.address());
        Optional<KeyEntry> entry = table.find(outcome.address());
        if (outcome.failure() != null) {
            refuse(waiting, KeyringFailures.of(outcome.failure()));
        } else if (entry.isEmpty() || moving.contains(outcome.address())) {
            outcome.secret().close();
            refuse(waiting, KeyringFailures.unknown(outcome.address()));
        } else {
            SigningKey key = SigningKey.takeOver(outcome.secret());
            unsealed.put(outcome.address(), key);
            if (!work.hasPublicKey(entry.get())) {
                learn(List.of(entry.get().withPublicKey(PublicKey.of(key.publicKey()))));
            }
            waiting.forEach(this::again);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onSeedUnsealed(SeedUnsealed outcome) {
        List<Question> waiting = unsealed.endWaitForSeed();
        if (outcome.failure() != null) {
            refuse(waiting, KeyringFailures.of(outcome.failure()));
            return Behaviors.same();
        }
        unsealed.putSeed(outcome.seed());
        List<KeyEntry> unknown = table.derivedWithoutPublicKey();
        if (!unknown.isEmpty()) {
            context.pipeToSelf(work.learnDerived(outcome.seed(), unknown), Learnt::new);
        }
        waiting.forEach(this::again);
        return Behaviors.same();
    }

    /** At once, and not through the mailbox, where later questions would overtake it. */
    private void again(Question question) {
        if (question instanceof Sign sign) {
            onSign(sign);
        } else if (question instanceof Find find) {
            onFind(find);
        } else if (question instanceof Derive derive) {
            onDerive(derive);
        } else {
            throw new IllegalStateException("does not wait for a secret: " + question.getClass());
        }
    }

    private static void refuse(List<Question> waiting, KeyringException refusal) {
        waiting.forEach(question -> question.reply().completeExceptionally(refusal));
    }

    private Behavior<Command> onLearnt(Learnt outcome) {
        if (outcome.failure() == null) {
            learn(outcome.entries());
        }
        return Behaviors.same();
    }

    private void learn(List<KeyEntry> entries) {
        Map<Address, KeyEntry> replaced = new HashMap<>();
        entries.stream()
                .filter(entry -> isUnknown(entry.address()))
                .forEach(entry -> replaced.put(entry.address(), entry));
        writes.submit(Change.learning(replaced));
    }

    private boolean isUnknown(Address address) {
        return table.find(address).filter(entry -> !work.hasPublicKey(entry)).isPresent() && !moving.contains(address);
    }

    private Behavior<Command> onDerive(Derive question) {
        if (!folder.isSeeded()) {
            question.reply().completeExceptionally(KeyringFailures.seedless());
        } else if (unsealed.seed() == null) {
            unsealSeedFor(question);
        } else {
            derivations.add(question);
            deriveNext();
        }
        return Behaviors.same();
    }

    private void deriveNext() {
        List<Derive> batch = derivations.begin();
        if (!batch.isEmpty()) {
            context.pipeToSelf(
                    work.deriveEntries(unsealed.seed(), table.view().nextIndex(), Derivations.labels(batch)),
                    (entries, failure) -> new Derived(batch, entries, failure));
        }
    }

    private Behavior<Command> onDerived(Derived outcome) {
        if (outcome.failure() != null) {
            derivations.end(outcome.questions(), List.of(), KeyringFailures.of(outcome.failure()));
            deriveNext();
            return Behaviors.same();
        }
        Set<Address> addresses =
                outcome.entries().stream().map(KeyEntry::address).collect(Collectors.toSet());
        if (!Collections.disjoint(addresses, moving)) {
            derivations.end(outcome.questions(), List.of(), KeyringFailures.moving());
            deriveNext();
            return Behaviors.same();
        }
        moving.addAll(addresses);
        writes.submit(Derivations.change(outcome.entries(), table, failure -> {
            moving.removeAll(addresses);
            derivations.end(outcome.questions(), outcome.entries(), failure);
            if (closed == null) {
                deriveNext();
            }
        }));
        return Behaviors.same();
    }

    private Behavior<Command> onLend(Lend question) {
        question.reply().complete(new Lent(unsealed.copy(), passphrase.duplicate()));
        return Behaviors.same();
    }

    private Behavior<Command> onWritten(Written outcome) {
        writes.ended(outcome.batch(), outcome.failure() == null ? null : KeyringFailures.of(outcome.failure()));
        return closed == null || writes.isWriting() ? Behaviors.same() : stop();
    }

    private Behavior<Command> onClose(Close command) {
        closed = command.reply();
        return writes.isWriting() ? closing() : stop();
    }

    private Behavior<Command> stop() {
        wipe();
        closed.complete(null);
        return Behaviors.stopped();
    }

    private Behavior<Command> wipe() {
        unsealed.wipe(KeyringFailures.stopping());
        derivations.refuse(KeyringFailures.stopping());
        passphrase.close();
        if (writes != null) {
            writes.stop(KeyringFailures.stopping());
        }
        return Behaviors.same();
    }

    private static Behavior<Command> handled(Runnable step) {
        step.run();
        return Behaviors.same();
    }
}
