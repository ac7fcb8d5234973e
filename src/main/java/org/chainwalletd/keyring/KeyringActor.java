package org.chainwalletd.keyring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the keys: addresses, labels, public keys, and the secrets that were unsealed. Hands Argon2id, signing and files out to executors and
 * takes the outcomes back as messages. Answers that something was stored come after it is durable; changes that meet while one is being
 * written share the next write of {@code state.json}.
 *
 * <p>Talks to nobody but the one who asks. It is never restarted: when it stops, its secrets are overwritten; the next process reads the
 * sealed files and {@code state.json} again.
 */
final class KeyringActor {
    private static final Logger LOG = LoggerFactory.getLogger(KeyringActor.class);

    /** What can be asked. Futures in messages fail with {@link KeyringException}. */
    sealed interface Command {}

    /** A command with an answer. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();
    }

    record Find(Address address, CompletableFuture<Optional<KeyEntry>> reply) implements Question {}

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

    /** Lends the unsealed keys to an export, which must expect them to be closed at any time. */
    record Lend(CompletableFuture<Map<Address, SigningKey>> reply) implements Question {}

    /** Ends after the running write; everything unsealed is overwritten. */
    record Close(CompletableFuture<Void> reply) implements Command {}

    private record Opened(KeyringView view) implements Command {}

    private record NotOpened(KeyringException failure) implements Command {}

    private record Stored(Store question, List<NewKey> keys, Throwable failure) implements Command {}

    private record SeedUnsealed(SecretBytes seed, Throwable failure) implements Command {}

    private record Unsealed(Address address, SecretBytes secret, Throwable failure) implements Command {}

    private record Derived(List<Derive> questions, List<KeyEntry> entries, Throwable failure) implements Command {}

    private record Learnt(List<KeyEntry> entries, Throwable failure) implements Command {}

    private record Objected(Delete question, Optional<String> objection, Throwable failure) implements Command {}

    private record FilesRemoved(Delete question, Throwable failure) implements Command {}

    private record Written(KeyTable.Batch batch, Throwable failure) implements Command {}

    private final ActorContext<Command> context;
    private final KeyringSetup setup;
    private final SecretBytes passphrase;
    private final KeyFolder folder;
    private final KeyWork work;
    private final PublicKeyFiles publicKeys;
    private final StateFile stateFile;
    private final AtomicReference<KeyringView> published;

    private KeyTable table;
    private SecretBytes seed;
    private final Map<Address, SigningKey> unsealed = new HashMap<>();
    private final Map<Address, List<Question>> waitingForKey = new HashMap<>();
    private final List<Question> waitingForSeed = new ArrayList<>();
    private final List<Derive> derivations = new ArrayList<>();
    private boolean deriving;
    /** Addresses that are on their way in or out. */
    private final Set<Address> moving = new HashSet<>();

    private final List<Change> changes = new ArrayList<>();
    private boolean writing;
    private Close closing;

    private KeyringActor(
            ActorContext<Command> context,
            KeyringSetup setup,
            SecretBytes passphrase,
            AtomicReference<KeyringView> published) {
        this.context = context;
        this.setup = setup;
        this.passphrase = passphrase;
        this.folder = new KeyFolder(setup.wallets());
        this.work = new KeyWork(setup, folder);
        this.publicKeys = new PublicKeyFiles(folder.publicKeys());
        this.stateFile = new StateFile(folder.state());
        this.published = published;
    }

    /**
     * @param passphrase of the keystore; belongs to the actor from now on
     * @param published gets a new view after every change
     * @param opened completes when the passphrase is proved and the files are read, and fails when the keyring cannot be opened
     */
    static Behavior<Command> create(
            KeyringSetup setup,
            SecretBytes passphrase,
            AtomicReference<KeyringView> published,
            CompletableFuture<Void> opened) {
        return Behaviors.setup(context -> new KeyringActor(context, setup, passphrase, published).opening(opened));
    }

    private Behavior<Command> opening(CompletableFuture<Void> opened) {
        KeyringLoader loader = new KeyringLoader(setup, folder, publicKeys);
        context.pipeToSelf(
                loader.load(passphrase),
                (view, failure) -> failure == null ? new Opened(view) : new NotOpened(KeyringFailures.of(failure)));
        return Behaviors.receive(Command.class)
                .onMessage(Opened.class, message -> {
                    table = new KeyTable(message.view(), published);
                    stateFile.opened(message.view());
                    opened.complete(null);
                    prepareNextWrite();
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

    private Behavior<Command> open() {
        return Behaviors.receive(Command.class)
                .onMessage(Find.class, this::onFind)
                .onMessage(Sign.class, this::onSign)
                .onMessage(Store.class, this::onStore)
                .onMessage(Derive.class, this::onDerive)
                .onMessage(Delete.class, this::onDelete)
                .onMessage(Lend.class, this::onLend)
                .onMessage(Close.class, this::onClose)
                .onMessage(Stored.class, this::onStored)
                .onMessage(SeedUnsealed.class, this::onSeedUnsealed)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Derived.class, this::onDerived)
                .onMessage(Learnt.class, this::onLearnt)
                .onMessage(Objected.class, this::onObjected)
                .onMessage(FilesRemoved.class, this::onFilesRemoved)
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
        SigningKey key = unsealed.get(question.address());
        if (entry.isEmpty() || entry.get().publicKey() != null) {
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
        SigningKey key = unsealed.get(question.address());
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
        if (!entry.imported() && seed == null) {
            waitForSeed(question);
            return;
        }
        List<Question> waiting = waitingForKey.computeIfAbsent(entry.address(), address -> new ArrayList<>());
        waiting.add(question);
        if (waiting.size() == 1) {
            CompletableFuture<SecretBytes> secret =
                    entry.imported() ? work.unseal(entry, passphrase) : work.derived(entry, seed);
            context.pipeToSelf(secret, (value, failure) -> new Unsealed(entry.address(), value, failure));
        }
    }

    private Behavior<Command> onUnsealed(Unsealed outcome) {
        List<Question> waiting = waitingForKey.remove(outcome.address());
        Optional<KeyEntry> entry = table.find(outcome.address());
        if (outcome.failure() != null) {
            KeyringException failure = KeyringFailures.of(outcome.failure());
            waiting.forEach(question -> question.reply().completeExceptionally(failure));
            return Behaviors.same();
        }
        if (entry.isEmpty() || moving.contains(outcome.address())) {
            outcome.secret().close();
            waiting.forEach(
                    question -> question.reply().completeExceptionally(KeyringFailures.unknown(outcome.address())));
            return Behaviors.same();
        }
        SigningKey key = SigningKey.takeOver(outcome.secret());
        unsealed.put(outcome.address(), key);
        if (entry.get().publicKey() == null) {
            learn(List.of(entry.get().withPublicKey(PublicKey.of(key.publicKey()))));
        }
        waiting.forEach(question -> context.getSelf().tell(question));
        return Behaviors.same();
    }

    private void waitForSeed(Question question) {
        waitingForSeed.add(question);
        if (waitingForSeed.size() == 1) {
            context.pipeToSelf(work.unsealSeed(passphrase), SeedUnsealed::new);
        }
    }

    private Behavior<Command> onSeedUnsealed(SeedUnsealed outcome) {
        List<Question> waiting = List.copyOf(waitingForSeed);
        waitingForSeed.clear();
        if (outcome.failure() != null) {
            KeyringException failure = KeyringFailures.of(outcome.failure());
            waiting.forEach(question -> question.reply().completeExceptionally(failure));
            return Behaviors.same();
        }
        seed = outcome.seed();
        List<KeyEntry> unknown = table.derivedWithoutPublicKey();
        if (!unknown.isEmpty()) {
            context.pipeToSelf(work.learn(seed, unknown), Learnt::new);
        }
        waiting.forEach(question -> context.getSelf().tell(question));
        return Behaviors.same();
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
                .filter(entry -> table.contains(entry.address()))
                .forEach(entry -> replaced.put(entry.address(), entry));
        submit(new Change(null, List.of(), replaced, Set.of(), 0, failure -> {}));
    }

    private Behavior<Command> onStore(Store question) {
        List<NewKey> wanted = new ArrayList<>();
        Set<Address> chosen = new HashSet<>();
        for (NewKey key : question.keys()) {
            boolean present = table.contains(key.address()) || moving.contains(key.address());
            if (present && !question.skipPresent()) {
                question.keys().forEach(NewKey::close);
                question.reply().completeExceptionally(KeyringFailures.present(key.address()));
                return Behaviors.same();
            }
            if (present || !chosen.add(key.address())) {
                key.close();
            } else {
                wanted.add(key);
            }
        }
        moving.addAll(chosen);
        context.pipeToSelf(work.storeAll(wanted, passphrase), (done, failure) -> new Stored(question, wanted, failure));
        return Behaviors.same();
    }

    private Behavior<Command> onStored(Stored outcome) {
        List<KeyEntry> entries = outcome.keys().stream().map(NewKey::entry).toList();
        if (outcome.failure() != null) {
            outcome.keys().forEach(NewKey::close);
            entries.forEach(entry -> moving.remove(entry.address()));
            outcome.question().reply().completeExceptionally(KeyringFailures.of(outcome.failure()));
            return Behaviors.same();
        }
        submit(Change.adding(outcome.question().before(), entries, failure -> {
            entries.forEach(entry -> moving.remove(entry.address()));
            answer(outcome.question().reply(), entries, failure);
        }));
        return Behaviors.same();
    }

    private Behavior<Command> onDerive(Derive question) {
        if (!folder.isSeeded()) {
            question.reply().completeExceptionally(KeyringFailures.seedless());
        } else if (seed == null) {
            waitForSeed(question);
        } else {
            derivations.add(question);
            deriveNext();
        }
        return Behaviors.same();
    }

    /** One batch at a time, so that indexes become durable in their order and without a gap. */
    private void deriveNext() {
        if (deriving || derivations.isEmpty()) {
            return;
        }
        deriving = true;
        List<Derive> questions = List.copyOf(derivations);
        derivations.clear();
        List<Optional<String>> labels = questions.stream().map(Derive::label).toList();
        context.pipeToSelf(
                work.deriveEntries(seed, table.view().nextIndex(), labels),
                (entries, failure) -> new Derived(questions, entries, failure));
    }

    private Behavior<Command> onDerived(Derived outcome) {
        if (outcome.failure() != null) {
            endDerivation(outcome, KeyringFailures.of(outcome.failure()));
            return Behaviors.same();
        }
        Map<Address, KeyEntry> merged = new HashMap<>();
        List<KeyEntry> added = new ArrayList<>();
        for (KeyEntry entry : outcome.entries()) {
            table.find(entry.address())
                    .ifPresentOrElse(
                            present -> merged.put(entry.address(), present.withIndex(entry.index())),
                            () -> added.add(entry));
        }
        long last = outcome.entries().get(outcome.entries().size() - 1).index().getAsLong();
        submit(new Change(
                CrashPoint.MINT_BEFORE_STATE,
                added,
                merged,
                Set.of(),
                last + 1,
                failure -> endDerivation(outcome, failure)));
        return Behaviors.same();
    }

    private void endDerivation(Derived outcome, KeyringException failure) {
        for (int i = 0; i < outcome.questions().size(); i++) {
            answer(
                    outcome.questions().get(i).reply(),
                    failure == null ? outcome.entries().get(i) : null,
                    failure);
        }
        deriving = false;
        deriveNext();
    }

    private Behavior<Command> onDelete(Delete question) {
        Optional<KeyEntry> entry = table.find(question.address());
        if (entry.isEmpty()) {
            question.reply().completeExceptionally(KeyringFailures.unknown(question.address()));
            return Behaviors.same();
        }
        CompletionStage<Optional<String>> objection = question.guard()
                .map(guard -> guard.objection(entry.get()))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        context.pipeToSelf(objection, (text, failure) -> new Objected(question, text, failure));
        return Behaviors.same();
    }

    private Behavior<Command> onObjected(Objected answer) {
        Delete question = answer.question();
        Address address = question.address();
        if (answer.failure() != null) {
            question.reply().completeExceptionally(KeyringFailures.unchecked(answer.failure()));
        } else if (answer.objection().isPresent()) {
            question.reply()
                    .completeExceptionally(
                            KeyringFailures.objected(address, answer.objection().get()));
        } else if (!table.contains(address) || !moving.add(address)) {
            question.reply().completeExceptionally(KeyringFailures.unknown(address));
        } else {
            submit(Change.removing(address, failure -> endRemoval(question, failure)));
        }
        return Behaviors.same();
    }

    private void endRemoval(Delete question, KeyringException failure) {
        if (failure != null) {
            moving.remove(question.address());
            question.reply().completeExceptionally(failure);
            return;
        }
        Optional.ofNullable(unsealed.remove(question.address())).ifPresent(SigningKey::close);
        context.pipeToSelf(
                work.removeFiles(question.address()), (done, problem) -> new FilesRemoved(question, problem));
    }

    private Behavior<Command> onFilesRemoved(FilesRemoved outcome) {
        Address address = outcome.question().address();
        moving.remove(address);
        answer(
                outcome.question().reply(),
                address,
                outcome.failure() == null ? null : KeyringFailures.of(outcome.failure()));
        return Behaviors.same();
    }

    private Behavior<Command> onLend(Lend question) {
        question.reply().complete(Map.copyOf(unsealed));
        return Behaviors.same();
    }

    private void submit(Change change) {
        changes.add(change);
        write();
    }

    private void write() {
        if (writing || changes.isEmpty()) {
            return;
        }
        writing = true;
        KeyTable.Batch batch = table.prepare(changes);
        changes.clear();
        CompletableFuture<Void> written = CompletableFuture.runAsync(
                () -> KeyringFailures.io(() -> batch.write(publicKeys, stateFile)),
                setup.executors().disk());
        context.pipeToSelf(written, (done, failure) -> new Written(batch, failure));
    }

    private Behavior<Command> onWritten(Written outcome) {
        writing = false;
        KeyringException failure = outcome.failure() == null ? null : KeyringFailures.of(outcome.failure());
        if (failure == null) {
            table.accept(outcome.batch());
        }
        outcome.batch().changes().forEach(change -> change.ended().accept(failure));
        if (closing != null) {
            return stop();
        }
        prepareNextWrite();
        write();
        return Behaviors.same();
    }

    private void prepareNextWrite() {
        setup.executors().disk().execute(() -> {
            try {
                stateFile.prepare();
            } catch (IOException e) {
                LOG.warn("cannot prepare the next write of state.json: {}", e.getMessage());
            }
        });
    }

    private Behavior<Command> onClose(Close command) {
        closing = command;
        KeyringException stopping = KeyringFailures.stopping();
        waitingForSeed.forEach(question -> question.reply().completeExceptionally(stopping));
        waitingForKey
                .values()
                .forEach(waiting -> waiting.forEach(question -> question.reply().completeExceptionally(stopping)));
        return writing ? closing() : stop();
    }

    private Behavior<Command> stop() {
        closing.reply().complete(null);
        return Behaviors.stopped();
    }

    private Behavior<Command> wipe() {
        unsealed.values().forEach(SigningKey::close);
        unsealed.clear();
        if (seed != null) {
            seed.close();
        }
        passphrase.close();
        setup.executors().disk().execute(stateFile::close);
        return Behaviors.same();
    }

    private static <T> void answer(CompletableFuture<T> reply, T value, KeyringException failure) {
        if (failure == null) {
            reply.complete(value);
        } else {
            reply.completeExceptionally(failure);
        }
    }
}
