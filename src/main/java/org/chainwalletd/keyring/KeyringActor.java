package org.chainwalletd.keyring;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.store.CrashPoint;

/**
 * Owns the keys: addresses, labels, public keys, and the secrets that were unsealed. Hands Argon2id, signing and files out to executors and
 * takes the outcomes back as messages. Answers that something was stored come after it is durable; changes that meet while one is being
 * written share the next write of {@code state.json}.
 *
 * <p>Talks to nobody but the one who asks. It is never restarted: when it stops, its secrets are overwritten; the next process reads the
 * sealed files and {@code state.json} again. Once closed it stays to refuse what still comes, so that nobody waits in vain.
 */
final class KeyringActor {
    /** What can be asked. Futures in messages fail with {@link KeyringException}. */
    sealed interface Command {}

    /** A command with an answer. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();

        default void refuse(KeyringException refusal) {
            reply().completeExceptionally(refusal);
        }
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
     * @param abandoned whether nobody waits for the answer any more, so that what is not sealed yet need not be; asked on any thread
     * @param reply the new entries in the given order
     */
    record Store(
            List<? extends Arrival> keys,
            boolean skipPresent,
            CrashPoint before,
            BooleanSupplier abandoned,
            CompletableFuture<List<KeyEntry>> reply)
            implements Question {
        /** Whether it takes no Argon2id, because its keys were sealed ahead of time. */
        boolean isSealed() {
            return keys.stream().allMatch(PooledKey.class::isInstance);
        }

        /** Overwrites the secrets. */
        @Override
        public void refuse(KeyringException refusal) {
            keys.forEach(Arrival::close);
            reply.completeExceptionally(refusal);
        }
    }

    /** Derives the next legacy HD key. */
    record Derive(Optional<String> label, CompletableFuture<KeyEntry> reply) implements Question {}

    /** @param guard asked before anything is removed; empty for none */
    record Delete(Address address, Optional<DeletionGuard> guard, CompletableFuture<Address> reply)
            implements Question {}

    /** Makes another account-chain key the current one, or none. */
    record RecordEvmKey(CrashPoint before, Optional<EvmKeyRecord> key, CompletableFuture<Void> reply)
            implements Question {}

    /** The listener hears of every change after the keys that are answered. */
    record Watch(Optional<KeyEvents> listener, CompletableFuture<List<OwnKey>> reply) implements Question {}

    /** Keys are to be sealed ahead of time; see {@link KeyPool#keep}. */
    record KeepPool(int size, Executor executor) implements Command {}

    /** A key of the pool, for the asker alone; empty when none is ready. */
    record Take(CompletableFuture<Optional<SealedKey>> reply) implements Question {}

    /** What an export needs. */
    record Lend(CompletableFuture<Lent> reply) implements Question {}

    /**
     * @param keys that are unsealed; may be closed at any time
     * @param passphrase of the keystore; the receiver closes it
     */
    record Lent(Map<Address, SigningKey> keys, SecretBytes passphrase) {}

    /**
     * Overwrites everything unsealed and refuses every question from then on. Answered when the keys that are on their way in or out have
     * arrived and nothing is written any more.
     *
     * @param evmKeys complete when the account-chain keys want nothing recorded any more
     */
    record Close(CompletableFuture<Void> evmKeys, CompletableFuture<Void> reply) implements Command {}

    private record EvmKeysClosed() implements Command {}

    private record Opened(KeyringStore.Listing loaded) implements Command {}

    private record NotOpened(KeyringException failure) implements Command {}

    record Stored(Store question, List<Arrival> keys, Throwable failure) implements Command {}

    /** It is quiet after the start, or was a while: time for what nobody waits for. */
    private record Tend() implements Command {}

    record SeedUnsealed(SecretBytes seed, Throwable failure) implements Command {}

    record Unsealed(Address address, SecretBytes secret, Throwable failure) implements Command {}

    record Derived(List<Derive> questions, List<KeyEntry> entries, Throwable failure) implements Command {}

    record Learnt(List<KeyEntry> entries, Throwable failure) implements Command {}

    record Objected(Delete question, Optional<String> objection, Throwable failure) implements Command {}

    record FilesRemoved(Delete question, Throwable failure) implements Command {}

    record Pooled(SealedKey key, Throwable failure) implements Command {}

    private record Written(KeyTable.Batch batch, Throwable failure) implements Command {}

    /** Everybody who has to knows of the new keys of a batch. */
    private record Told(KeyTable.Batch batch, Throwable failure) implements Command {}

    /**
     * What the parts of this actor work on together.
     *
     * @param moving addresses that are on their way in or out
     * @param leaving those of them that are on their way out
     */
    record Shared(
            ActorContext<Command> context,
            KeyTable table,
            StateWrites writes,
            KeyringStore store,
            KeyWork work,
            Set<Address> moving,
            Set<Address> leaving,
            SecretBytes passphrase,
            UnsealedKeys unsealed) {}

    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final KeyringSetup setup;
    private final SecretBytes passphrase;
    private final KeyringStore store;
    private final KeyAudience audience = new KeyAudience();
    private final AtomicReference<KeyringView> published;
    private final UnsealedKeys unsealed;
    private final Set<Address> moving = new HashSet<>();

    private boolean seeded;
    private KeyTable table;
    private StateWrites writes;
    private Arrivals arrivals;
    private Departures departures;
    private Unsealings unsealings;
    private Derivations derivations;
    private Housekeeping housekeeping;
    private KeyPool pool;
    /** Null until somebody asks to close. */
    private Close closing;

    private KeyringActor(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            KeyringSetup setup,
            SecretBytes passphrase,
            KeyringStore store,
            UnsealedKeys unsealed,
            AtomicReference<KeyringView> published) {
        this.unsealed = unsealed;
        this.context = context;
        this.timers = timers;
        this.setup = setup;
        this.passphrase = passphrase;
        this.store = store;
        this.published = published;
    }

    /**
     * @param opening whose files are being read and whose passphrase is being proved; the passphrase belongs to the actor from now on
     * @param published gets a new view after every change
     * @param opened completes when the passphrase is proved and the files are read, and fails when the keyring cannot be opened
     */
    static Behavior<Command> create(
            Keyring.Opening opening, AtomicReference<KeyringView> published, CompletableFuture<Void> opened) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new KeyringActor(
                        context,
                        timers,
                        opening.setup(),
                        opening.passphrase(),
                        opening.store(),
                        new UnsealedKeys(opening.atHand()),
                        published)
                .opening(opening.loaded(), opened)));
    }

    private Behavior<Command> opening(CompletableFuture<KeyringStore.Listing> loading, CompletableFuture<Void> opened) {
        context.pipeToSelf(
                loading,
                (loaded, failure) -> failure == null ? new Opened(loaded) : new NotOpened(KeyringFailures.of(failure)));
        return Behaviors.receive(Command.class)
                .onMessage(Opened.class, outcome -> onOpened(outcome, opened))
                .onMessage(NotOpened.class, outcome -> onNotOpened(outcome.failure(), opened))
                .onMessage(Close.class, command -> onCloseTooEarly(command, opened))
                .onSignal(PostStop.class, signal -> handled(this::stop))
                .build();
    }

    private Behavior<Command> onOpened(Opened outcome, CompletableFuture<Void> opened) {
        begin(outcome.loaded());
        opened.complete(null);
        return open();
    }

    private static Behavior<Command> onNotOpened(KeyringException failure, CompletableFuture<Void> opened) {
        opened.completeExceptionally(failure);
        return Behaviors.stopped();
    }

    private static Behavior<Command> onCloseTooEarly(Close command, CompletableFuture<Void> opened) {
        command.reply().complete(null);
        return onNotOpened(KeyringFailures.stopping(), opened);
    }

    private void begin(KeyringStore.Listing loaded) {
        KeyWork work = new KeyWork(setup, store);
        seeded = loaded.seeded();
        table = new KeyTable(loaded.view(), published);
        writes = new StateWrites(
                table,
                store,
                KeyringMetrics.stateWrites(setup.metrics()),
                (batch, written) -> context.pipeToSelf(written, (done, failure) -> new Written(batch, failure)),
                audience,
                (batch, told) -> context.pipeToSelf(told, (done, failure) -> new Told(batch, failure)));
        Shared shared = new Shared(context, table, writes, store, work, moving, new HashSet<>(), passphrase, unsealed);
        arrivals = new Arrivals(shared, setup.mostMints(), KeyringMetrics.mints(setup.metrics()));
        departures = new Departures(shared);
        derivations = new Derivations(shared, setup.executors().crypto());
        unsealings = new Unsealings(shared, setup.executors().crypto(), this::onDerive);
        pool = new KeyPool(shared, KeyringMetrics.pool(setup.metrics()));
        housekeeping =
                new Housekeeping(work, published::get, seeded, setup.executors().crypto());
        housekeeping.begin(passphrase);
        timers.startTimerWithFixedDelay(
                new Tend(), setup.upkeep().first(), setup.upkeep().between());
    }

    private Behavior<Command> open() {
        return Behaviors.receive(Command.class)
                .onMessage(Find.class, question -> handled(() -> unsealings.find(question)))
                .onMessage(Sign.class, question -> handled(() -> unsealings.sign(question)))
                .onMessage(Store.class, question -> handled(() -> arrivals.begin(question)))
                .onMessage(Derive.class, this::onDerive)
                .onMessage(Delete.class, question -> handled(() -> departures.begin(question)))
                .onMessage(RecordEvmKey.class, this::onRecordEvmKey)
                .onMessage(Lend.class, this::onLend)
                .onMessage(KeepPool.class, command -> handled(() -> keepPool(command)))
                .onMessage(Take.class, this::onTake)
                .onMessage(Pooled.class, outcome -> handled(() -> pool.made(outcome)))
                .onMessage(Watch.class, this::onWatch)
                .onMessage(Close.class, this::onClose)
                .onMessage(Stored.class, outcome -> handled(() -> arrivals.stored(outcome)))
                .onMessage(SeedUnsealed.class, outcome -> handled(() -> unsealings.seedEnded(outcome)))
                .onMessage(Unsealed.class, outcome -> handled(() -> unsealings.ended(outcome)))
                .onMessage(Derived.class, outcome -> handled(() -> derivations.derived(outcome)))
                .onMessage(Learnt.class, outcome -> handled(() -> unsealings.learnt(outcome)))
                .onMessage(Tend.class, this::onTend)
                .onMessage(Objected.class, answer -> handled(() -> departures.objected(answer)))
                .onMessage(FilesRemoved.class, outcome -> handled(() -> filesRemoved(outcome)))
                .onMessage(Written.class, outcome -> handled(() -> writtenWhileOpen(outcome)))
                .onMessage(Told.class, outcome -> handled(() -> writes.told(outcome.batch(), outcome.failure())))
                .onSignal(PostStop.class, signal -> handled(this::stop))
                .build();
    }

    /** Nothing new is begun. What has begun to change files goes on to its answer; everybody else is refused. */
    private Behavior<Command> closing() {
        return Behaviors.receive(Command.class)
                .onMessage(RecordEvmKey.class, this::onRecordEvmKey)
                .onMessage(EvmKeysClosed.class, message -> ended(() -> {}))
                .onMessage(Question.class, question -> refused(List.of(question)))
                .onMessage(Stored.class, outcome -> ended(() -> arrivals.stored(outcome)))
                .onMessage(FilesRemoved.class, outcome -> ended(() -> departures.filesRemoved(outcome)))
                .onMessage(Written.class, outcome -> ended(() -> written(outcome)))
                .onMessage(Told.class, outcome -> ended(() -> writes.told(outcome.batch(), outcome.failure())))
                .onMessage(Derived.class, outcome -> refused(outcome.questions()))
                .onMessage(Objected.class, answer -> refused(List.of(answer.question())))
                .onMessage(Close.class, this::onCloseAgain)
                .onMessage(SeedUnsealed.class, outcome -> handled(() -> overwrite(outcome.seed())))
                .onMessage(Unsealed.class, outcome -> handled(() -> overwrite(outcome.secret())))
                .onAnyMessage(message -> Behaviors.same())
                .onSignal(PostStop.class, signal -> handled(this::stop))
                .build();
    }

    private Behavior<Command> onDerive(Derive question) {
        if (!seeded) {
            question.refuse(KeyringFailures.seedless());
        } else if (unsealed.seed() == null) {
            unsealings.unsealSeedFor(question);
        } else {
            derivations.begin(question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onRecordEvmKey(RecordEvmKey question) {
        writes.submit(Change.ofEvmKey(
                question.before(), question.key(), failure -> KeyringFailures.answer(question.reply(), null, failure)));
        return Behaviors.same();
    }

    private Behavior<Command> onLend(Lend question) {
        question.reply().complete(new Lent(unsealed.copy(), passphrase.duplicate()));
        return Behaviors.same();
    }

    private void keepPool(KeepPool command) {
        if (seeded && command.size() > 0) {
            unsealings.unsealSeedAhead(command.executor());
        }
        pool.keep(command.size(), command.executor());
    }

    private Behavior<Command> onTake(Take question) {
        question.reply().complete(pool.take());
        return Behaviors.same();
    }

    private Behavior<Command> onWatch(Watch question) {
        question.listener().ifPresent(audience::add);
        List<KeyEntry> entries = table.view().entries();
        store.notes()
                .whenCompleteAsync(
                        (notes, failure) -> KeyringFailures.answer(
                                question.reply(),
                                failure == null ? new OwnKeys(entries, notes) : List.of(),
                                failure == null ? null : KeyringFailures.of(failure)),
                        setup.executors().crypto());
        return Behaviors.same();
    }

    private Behavior<Command> onTend(Tend message) {
        table.prepareIndex();
        writes.prepareNext();
        pool.refill();
        store.tend(published::get);
        housekeeping.tend(passphrase, entry -> context.getSelf().tell(new Learnt(List.of(entry), null)));
        return Behaviors.same();
    }

    /** A deletion that could not be recorded lets those go on who waited for its end. */
    private void writtenWhileOpen(Written outcome) {
        written(outcome);
        arrivals.goOn();
    }

    private void filesRemoved(FilesRemoved outcome) {
        departures.filesRemoved(outcome);
        arrivals.goOn();
    }

    private void written(Written outcome) {
        writes.ended(outcome.batch(), outcome.failure() == null ? null : KeyringFailures.of(outcome.failure()));
    }

    private Behavior<Command> onClose(Close command) {
        closing = command;
        context.pipeToSelf(command.evmKeys(), (done, failure) -> new EvmKeysClosed());
        timers.cancelAll();
        arrivals.refuseWaiting();
        wipe();
        completeWhenQuiet();
        return closing();
    }

    private Behavior<Command> onCloseAgain(Close command) {
        closing.reply()
                .whenCompleteAsync(
                        (done, failure) -> command.reply().complete(null),
                        setup.executors().crypto());
        return Behaviors.same();
    }

    private static Behavior<Command> refused(List<? extends Question> questions) {
        questions.forEach(question -> question.refuse(KeyringFailures.stopping()));
        return Behaviors.same();
    }

    private Behavior<Command> ended(Runnable step) {
        step.run();
        completeWhenQuiet();
        return Behaviors.same();
    }

    private void completeWhenQuiet() {
        if (moving.isEmpty() && !writes.isWriting() && closing.evmKeys().isDone()) {
            writes.stop(KeyringFailures.stopping());
            store.settle(table.view())
                    .whenCompleteAsync(
                            (done, failure) -> closing.reply().complete(null),
                            setup.executors().crypto());
        }
    }

    private void stop() {
        wipe();
        if (writes != null) {
            writes.stop(KeyringFailures.stopping());
        }
    }

    /** No secret stays, and nobody who waits for one is left without an answer. */
    private void wipe() {
        unsealed.wipe(KeyringFailures.stopping());
        passphrase.close();
        if (derivations != null) {
            derivations.stop(KeyringFailures.stopping());
        }
    }

    private static void overwrite(SecretBytes secret) {
        if (secret != null) {
            secret.close();
        }
    }

    private static Behavior<Command> handled(Runnable step) {
        step.run();
        return Behaviors.same();
    }
}
