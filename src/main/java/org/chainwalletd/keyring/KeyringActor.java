package org.chainwalletd.keyring;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.KeyringProtocol.Close;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.KeyringProtocol.Delete;
import org.chainwalletd.keyring.KeyringProtocol.Derive;
import org.chainwalletd.keyring.KeyringProtocol.Derived;
import org.chainwalletd.keyring.KeyringProtocol.EvmKeysClosed;
import org.chainwalletd.keyring.KeyringProtocol.FilesRemoved;
import org.chainwalletd.keyring.KeyringProtocol.Find;
import org.chainwalletd.keyring.KeyringProtocol.FollowEvmKeys;
import org.chainwalletd.keyring.KeyringProtocol.KeepPool;
import org.chainwalletd.keyring.KeyringProtocol.Learnt;
import org.chainwalletd.keyring.KeyringProtocol.Lend;
import org.chainwalletd.keyring.KeyringProtocol.Lent;
import org.chainwalletd.keyring.KeyringProtocol.Listed;
import org.chainwalletd.keyring.KeyringProtocol.Mint;
import org.chainwalletd.keyring.KeyringProtocol.NewsRead;
import org.chainwalletd.keyring.KeyringProtocol.Objected;
import org.chainwalletd.keyring.KeyringProtocol.Opened;
import org.chainwalletd.keyring.KeyringProtocol.OthersChanged;
import org.chainwalletd.keyring.KeyringProtocol.Pooled;
import org.chainwalletd.keyring.KeyringProtocol.Question;
import org.chainwalletd.keyring.KeyringProtocol.RecordEvmKey;
import org.chainwalletd.keyring.KeyringProtocol.SeedUnsealed;
import org.chainwalletd.keyring.KeyringProtocol.SetLabel;
import org.chainwalletd.keyring.KeyringProtocol.Sign;
import org.chainwalletd.keyring.KeyringProtocol.Store;
import org.chainwalletd.keyring.KeyringProtocol.Stored;
import org.chainwalletd.keyring.KeyringProtocol.TellEvmKeys;
import org.chainwalletd.keyring.KeyringProtocol.Tend;
import org.chainwalletd.keyring.KeyringProtocol.Told;
import org.chainwalletd.keyring.KeyringProtocol.Unsealed;
import org.chainwalletd.keyring.KeyringProtocol.Watch;
import org.chainwalletd.keyring.KeyringProtocol.Written;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the keys: addresses, labels, public keys and unsealed secrets. Runs Argon2id, signing and file access on executors and receives the
 * results as messages. Replies that something was stored only after it is durable. Changes that arrive during a write of {@code state.json}
 * are batched into the next write.
 *
 * <p>Replies to the asker and calls the registered listeners and followers. Never restarted: when it stops, it overwrites its secrets, and
 * the next process reads the sealed files and {@code state.json} again. After {@link Close} it keeps running to refuse later questions, so
 * that no caller waits without an answer.
 */
final class KeyringActor {
    private static final Logger LOG = LoggerFactory.getLogger(KeyringActor.class);
    private static final int REPORTED = 100;

    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final KeyringSetup setup;
    private final SecretBytes passphrase;
    private final KeyringStore store;
    private final KeyListeners keyListeners = new KeyListeners();
    private final AtomicReference<KeyringView> published;
    private final Set<Address> moving = new HashSet<>();
    private final boolean seeded;
    private final KeyWork work;
    private final KeyTable table;
    private final StateWrites writes;
    private final Arrivals arrivals;
    private final Departures departures;
    private final Unsealings unsealings;
    private final Derivations derivations;
    private final KeyPool pool;
    private boolean looked;
    private KeyringProtocol.EvmFollower evmFollower = (own, kept) -> {};

    private KeyringActor(Opening opening, KeyringStore.Listing loaded) {
        this.context = opening.context();
        this.timers = opening.timers();
        this.setup = opening.groundwork().setup();
        this.passphrase = opening.groundwork().passphrase();
        this.store = opening.groundwork().store();
        this.published = opening.published();
        this.seeded = loaded.seeded();
        this.table = new KeyTable(loaded.view(), published);
        this.writes = new StateWrites(
                context,
                table,
                store,
                loaded,
                setup.executors().disk(),
                KeyringMetrics.stateWrites(setup.metrics()),
                keyListeners,
                new StateWrites.Followers() {
                    @Override
                    public void removed(Set<Address> addresses) {
                        forget(addresses);
                    }

                    @Override
                    public void evmKeys(Set<EvmAddress> kept) {
                        evmFollower.follow(table.view().evmKey(), kept);
                    }
                });
        this.work = new KeyWork(setup, store);
        KeyringParts parts = new KeyringParts(
                context, table, writes, store, work, moving, new HashSet<>(), passphrase, setup.executors());
        this.pool = new KeyPool(parts, KeyringMetrics.pool(setup.metrics()));
        this.arrivals = new Arrivals(parts, pool, setup.mostMints(), KeyringMetrics.mints(setup.metrics()));
        this.unsealings = new Unsealings(parts, opening.groundwork().atHand(), this::onDerive);
        this.departures = new Departures(parts, unsealings);
        this.derivations = new Derivations(parts, unsealings);
    }

    /**
     * @param groundwork its files are being read and its passphrase is being verified; the actor takes ownership of the passphrase
     * @param published gets a new view after every change
     * @param opened completes when the passphrase is verified and the files are read; fails when the keyring cannot be opened
     */
    static Behavior<Command> create(
            Groundwork groundwork, AtomicReference<KeyringView> published, CompletableFuture<Void> opened) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new Opening(context, timers, groundwork, published, opened).behavior()));
    }

    /** State until the files are read; only {@link Close} is handled. */
    private record Opening(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Groundwork groundwork,
            AtomicReference<KeyringView> published,
            CompletableFuture<Void> opened) {

        Behavior<Command> behavior() {
            Outcome.pipe(context, groundwork.loaded(), Opened::new);
            return Behaviors.receive(Command.class)
                    .onMessage(Opened.class, this::onOpened)
                    .onMessage(Close.class, this::onCloseTooEarly)
                    .onSignal(PostStop.class, signal -> onStopped())
                    .build();
        }

        private Behavior<Command> onOpened(Opened outcome) {
            return outcome.loaded()
                    .value()
                    .map(this::open)
                    .orElseGet(() ->
                            failed(KeyringFailures.of(outcome.loaded().failure().orElseThrow())));
        }

        private Behavior<Command> open(KeyringStore.Listing loaded) {
            KeyringActor keyring = new KeyringActor(this, loaded);
            keyring.begin();
            opened.complete(null);
            return keyring.open();
        }

        private Behavior<Command> failed(KeyringException failure) {
            opened.completeExceptionally(failure);
            return Behaviors.stopped();
        }

        private Behavior<Command> onCloseTooEarly(Close command) {
            command.reply().complete(null);
            return failed(KeyringFailures.stopping());
        }

        private Behavior<Command> onStopped() {
            groundwork.passphrase().close();
            return Behaviors.same();
        }
    }

    private void forget(Set<Address> addresses) {
        addresses.forEach(unsealings::remove);
    }

    private void begin() {
        if (published.get().size() == 0 && !seeded) {
            proveLater();
        }
        ActorRef<Command> self = context.getSelf();
        store.shared().ifPresent(shared -> {
            shared.whenOthersChange(() -> self.tell(new OthersChanged()));
            // Reads changes committed after the listing was read and before the listener above was registered.
            writes.othersChanged();
        });
        timers.startTimerWithFixedDelay(
                new Tend(), setup.upkeep().first(), setup.upkeep().between());
    }

    private Behavior<Command> open() {
        return Behaviors.receive(Command.class)
                .onMessage(
                        Find.class,
                        question -> handled(() -> known(question.address(), question, () -> unsealings.find(question))))
                .onMessage(
                        Sign.class,
                        question -> handled(() -> known(question.address(), question, () -> sign(question))))
                .onMessage(Listed.class, answer -> handled(() -> listed(answer)))
                .onMessage(Mint.class, question -> handled(() -> arrivals.mint(question)))
                .onMessage(Store.class, question -> handled(() -> refreshed(question, () -> arrivals.begin(question))))
                .onMessage(Derive.class, this::onDerive)
                .onMessage(Delete.class, question -> handled(() -> departures.begin(question)))
                .onMessage(
                        SetLabel.class,
                        question -> handled(() -> known(question.address(), question, () -> setLabel(question))))
                .onMessage(FollowEvmKeys.class, command -> handled(() -> followEvmKeys(command)))
                .onMessage(TellEvmKeys.class, command -> handled(this::tellEvmKeys))
                .onMessage(OthersChanged.class, message -> handled(writes::othersChanged))
                .onMessage(NewsRead.class, outcome -> handled(() -> newsRead(outcome)))
                .onMessage(RecordEvmKey.class, this::onRecordEvmKey)
                .onMessage(Lend.class, question -> handled(() -> refreshed(question, () -> lend(question))))
                .onMessage(KeepPool.class, command -> handled(() -> keepPool(command)))
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
                .onMessage(Told.class, outcome -> handled(() -> writes.told(outcome.batch(), outcome.heard())))
                .onSignal(PostStop.class, signal -> handled(this::stop))
                .build();
    }

    /**
     * Starts nothing new. Operations that already change files run to completion and are answered; all other questions are refused.
     *
     * @param first the command that is answered when no operation is left
     */
    private Behavior<Command> closing(Close first) {
        return Behaviors.receive(Command.class)
                .onMessage(RecordEvmKey.class, this::onRecordEvmKey)
                .onMessage(EvmKeysClosed.class, message -> ended(first, () -> {}))
                .onMessage(Question.class, question -> refused(List.of(question)))
                .onMessage(Stored.class, outcome -> ended(first, () -> arrivals.stored(outcome)))
                .onMessage(FilesRemoved.class, outcome -> ended(first, () -> departures.filesRemoved(outcome)))
                .onMessage(Written.class, outcome -> ended(first, () -> written(outcome)))
                .onMessage(Told.class, outcome -> ended(first, () -> writes.told(outcome.batch(), outcome.heard())))
                .onMessage(NewsRead.class, outcome -> ended(first, () -> writes.read(outcome)))
                .onMessage(Derived.class, outcome -> refused(outcome.questions()))
                .onMessage(Objected.class, answer -> refused(List.of(answer.question())))
                .onMessage(Listed.class, answer -> refused(List.of(answer.question())))
                .onMessage(Close.class, command -> onCloseAgain(first, command))
                .onMessage(SeedUnsealed.class, outcome -> handled(() -> overwrite(outcome.seed())))
                .onMessage(Unsealed.class, outcome -> handled(() -> overwrite(outcome.secret())))
                .onAnyMessage(message -> Behaviors.same())
                .onSignal(PostStop.class, signal -> handled(this::stop))
                .build();
    }

    /** Runs {@code step} after the changes of other daemons have been read; refuses the question when they cannot be read. */
    private void refreshed(Question question, Runnable step) {
        writes.refresh(failure -> failure.ifPresentOrElse(question::refuse, step));
    }

    /** Reads the changes of other daemons before a step on an unknown address, which another daemon may just have added. */
    private void known(Address address, Question question, Runnable step) {
        if (table.contains(address)) {
            step.run();
        } else {
            refreshed(question, step);
        }
    }

    /**
     * Checks a shared store before each signature: a key that another daemon has deleted must not sign, even if the deletion is not known
     * here yet.
     */
    private void sign(Sign question) {
        store.shared()
                .ifPresentOrElse(
                        shared -> Outcome.pipe(
                                context,
                                Work.on(setup.executors().disk(), () -> shared.isListed(question.address())),
                                there -> new Listed(question, there)),
                        () -> unsealings.sign(question));
    }

    private void listed(Listed answer) {
        Sign question = answer.question();
        answer.there()
                .match(
                        there -> {
                            if (there) {
                                unsealings.sign(question);
                            } else {
                                refreshed(question, () -> unsealings.sign(question));
                            }
                        },
                        failure -> question.refuse(KeyringFailures.of(failure)));
    }

    private void followEvmKeys(FollowEvmKeys command) {
        evmFollower = command.follower();
        if (store.isShared()) {
            tellEvmKeys();
        }
    }

    private void tellEvmKeys() {
        writes.refresh(failure -> writes.tellEvmKeys());
    }

    /** Resumes the arrivals that waited for a deletion, which may have been made by another daemon. */
    private void newsRead(NewsRead outcome) {
        writes.read(outcome);
        arrivals.goOn();
    }

    private void setLabel(SetLabel question) {
        if (!table.contains(question.address())) {
            question.refuse(KeyringFailures.unknown(question.address()));
            return;
        }
        writes.submit(KeyTable.Change.labelling(
                question.address(),
                question.label(),
                failure -> KeyringFailures.answer(question.reply(), question::label, failure)));
    }

    private Behavior<Command> onDerive(Derive question) {
        if (!seeded) {
            question.refuse(KeyringFailures.seedless());
        } else if (unsealings.seed().isEmpty()) {
            unsealings.unsealSeedFor(question);
        } else {
            derivations.begin(question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onRecordEvmKey(RecordEvmKey question) {
        writes.submit(KeyTable.Change.ofEvmKey(
                question.before(),
                question.change(),
                failure -> KeyringFailures.<Void>answer(question.reply(), () -> null, failure)));
        return Behaviors.same();
    }

    private void lend(Lend question) {
        question.reply().complete(new Lent(unsealings.copy(), passphrase.duplicate()));
    }

    private void keepPool(KeepPool command) {
        if (seeded && command.size() > 0) {
            unsealings.unsealSeedAhead(command.executor());
        }
        pool.keep(command.size(), command.executor());
    }

    private Behavior<Command> onWatch(Watch question) {
        question.listener().ifPresent(keyListeners::add);
        List<KeyEntry> entries = table.view().entries();
        setup.executors().disk().execute(() -> {
            try {
                question.reply().complete(new KeyListeners.OwnKeys(entries, store.notes()));
            } catch (RuntimeException e) {
                question.refuse(KeyringFailures.of(e));
            }
        });
        return Behaviors.same();
    }

    private Behavior<Command> onTend(Tend message) {
        table.prepareIndex();
        writes.prepareNext();
        pool.refill();
        Work.on(setup.executors().flows(), () -> {
            store.tend(published::get);
            return null;
        });
        if (!looked) {
            looked = true;
            learnPublicKeys();
        }
        return Behaviors.same();
    }

    /** Writes the passphrase check of a keyring without keys or seed in the background. */
    private void proveLater() {
        setup.executors().argon2().submit(Urgency.SEAL, () -> {
            try {
                work.ensureCheck(passphrase);
            } catch (RuntimeException e) {
                KeyringFailures.log("no passphrase check was written", e);
            }
            return null;
        });
    }

    private void learnPublicKeys() {
        List<KeyEntry> unknown = published.get().withoutPublicKey().stream()
                .filter(KeyEntry::imported)
                .toList();
        if (!unknown.isEmpty()) {
            ActorRef<Command> self = context.getSelf();
            LOG.info("learning {} public keys of a keystore that another implementation wrote", unknown.size());
            Work.on(setup.executors().flows(), () -> learn(unknown, self));
        }
    }

    /** Runs one Argon2id per key, one after the other; stops when the passphrase is closed. */
    private Void learn(List<KeyEntry> unknown, ActorRef<Command> self) {
        for (int i = 0; i < unknown.size() && !passphrase.isClosed(); i++) {
            if (i > 0 && i % REPORTED == 0) {
                LOG.info("{} of {} public keys learnt", i, unknown.size());
            }
            KeyEntry entry = unknown.get(i);
            try {
                KeyEntry learnt = setup.executors().argon2().compute(Urgency.SEAL, () -> work.learn(entry, passphrase));
                self.tell(new Learnt(new Outcome.Done<>(List.of(learnt))));
            } catch (RuntimeException e) {
                if (!passphrase.isClosed()) {
                    LOG.error(
                            "cannot learn a public key: {}",
                            KeyringFailures.of(e).getMessage());
                }
            }
        }
        return null;
    }

    /** Resumes the arrivals that waited for a deletion, which may have failed to be recorded. */
    private void writtenWhileOpen(Written outcome) {
        written(outcome);
        arrivals.goOn();
    }

    private void filesRemoved(FilesRemoved outcome) {
        departures.filesRemoved(outcome);
        arrivals.goOn();
    }

    private void written(Written outcome) {
        writes.ended(outcome.batch(), outcome.written());
    }

    private Behavior<Command> onClose(Close command) {
        context.pipeToSelf(command.evmKeys(), (done, failure) -> new EvmKeysClosed());
        timers.cancelAll();
        arrivals.refuseWaiting();
        writes.refuseAsking(KeyringFailures.stopping());
        wipe();
        completeWhenQuiet(command);
        return closing(command);
    }

    private Behavior<Command> onCloseAgain(Close first, Close command) {
        first.reply()
                .whenCompleteAsync(
                        (done, failure) -> command.reply().complete(null),
                        setup.executors().crypto());
        return Behaviors.same();
    }

    private static Behavior<Command> refused(List<? extends Question> questions) {
        questions.forEach(question -> question.refuse(KeyringFailures.stopping()));
        return Behaviors.same();
    }

    private Behavior<Command> ended(Close first, Runnable step) {
        step.run();
        completeWhenQuiet(first);
        return Behaviors.same();
    }

    private void completeWhenQuiet(Close first) {
        if (arrivals.isIdle()
                && moving.isEmpty()
                && !writes.isWriting()
                && first.evmKeys().isDone()) {
            writes.stop(KeyringFailures.stopping());
            setup.executors().disk().execute(() -> {
                store.settle(table.view());
                first.reply().complete(null);
            });
        }
    }

    private void stop() {
        wipe();
        writes.stop(KeyringFailures.stopping());
    }

    /** Overwrites all secrets and refuses every question that waits for one. */
    private void wipe() {
        unsealings.wipe(KeyringFailures.stopping());
        passphrase.close();
        derivations.stop(KeyringFailures.stopping());
    }

    private static void overwrite(Outcome<SecretBytes> unsealing) {
        unsealing.value().ifPresent(SecretBytes::close);
    }

    private static Behavior<Command> handled(Runnable step) {
        step.run();
        return Behaviors.same();
    }

    /**
     * Parameters of opening a keyring.
     *
     * @param passphrase owned by the Keyring actor as soon as it exists
     * @param loaded completes when the passphrase is verified and the files are read
     * @param atHand unsealed keys, written only by the actor; other threads only sign with them and must expect a key to be closed at any
     *     time
     */
    record Groundwork(
            KeyringSetup setup,
            SecretBytes passphrase,
            KeyringStore store,
            CompletableFuture<KeyringStore.Listing> loaded,
            ConcurrentMap<Address, SigningKey> atHand) {}

    /** Steps of a deletion: guard asked, record removed, secret overwritten, files removed, answered. Belongs to the Keyring actor. */
    private static final class Departures {
        private final KeyringParts keyring;
        private final Unsealings unsealings;

        Departures(KeyringParts keyring, Unsealings unsealings) {
            this.keyring = keyring;
            this.unsealings = unsealings;
        }

        void begin(Delete question) {
            Optional<KeyEntry> entry = keyring.table().find(question.address());
            if (entry.isEmpty()) {
                question.refuse(KeyringFailures.unknown(question.address()));
                return;
            }
            Outcome.pipe(keyring.context(), objection(question, entry.get()), text -> new Objected(question, text));
        }

        /** Turns an exception thrown by the guard into a failed stage: the guard is foreign code and must not stop the actor. */
        private static CompletionStage<Optional<String>> objection(Delete question, KeyEntry entry) {
            try {
                return question.guard()
                        .map(guard -> guard.objection(entry))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        void objected(Objected answer) {
            Delete question = answer.question();
            answer.objection()
                    .match(
                            objection -> unless(objection, question),
                            failure -> question.refuse(KeyringFailures.unchecked(failure)));
        }

        private void unless(Optional<String> objection, Delete question) {
            Address address = question.address();
            if (objection.isPresent()) {
                question.refuse(KeyringFailures.objected(address, objection.get()));
            } else if (!keyring.table().contains(address) || !keyring.moving().add(address)) {
                question.refuse(KeyringFailures.unknown(address));
            } else {
                keyring.leaving().add(address);
                keyring.writes()
                        .submit(KeyTable.Change.removing(
                                address, question.guard().isPresent(), failure -> recordGone(question, failure)));
            }
        }

        private void recordGone(Delete question, Optional<KeyringException> failure) {
            if (failure.isPresent()) {
                keyring.moving().remove(question.address());
                keyring.leaving().remove(question.address());
                question.refuse(failure.get());
                return;
            }
            unsealings.remove(question.address());
            Outcome.pipe(
                    keyring.context(),
                    Work.<Void>on(keyring.executors().disk(), () -> {
                        keyring.store().remove(question.address());
                        return null;
                    }),
                    done -> new FilesRemoved(question, done));
        }

        void filesRemoved(FilesRemoved outcome) {
            Address address = outcome.question().address();
            keyring.moving().remove(address);
            keyring.leaving().remove(address);
            KeyringFailures.answer(
                    outcome.question().reply(),
                    () -> address,
                    outcome.removal().failure().map(KeyringFailures::ofRest));
        }
    }
}
