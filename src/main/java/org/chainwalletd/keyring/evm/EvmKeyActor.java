package org.chainwalletd.keyring.evm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.BehaviorBuilder;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyChanges.Known;
import org.chainwalletd.keyring.store.EvmKeyRecord;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;

/**
 * Owns the account-chain keys: the current one, the kept ones, and the unsealed secrets. Runs one change at a time, with signing in
 * parallel. Each change is durable before it is answered.
 *
 * <p>Talks to the Keyring actor, which alone writes {@code state.json}, and to the asker. Never restarted: when it stops, it overwrites its
 * secrets, and the next process reads the record and the sealed files again. After {@link Close} it keeps running to refuse later
 * questions.
 */
public final class EvmKeyActor {
    /** Maximum number of changes that wait for a running one; further ones are refused. */
    private static final int WAITING = 64;

    public sealed interface Command {}

    /** Command with a reply, which fails with {@link RefusedException} or {@link KeyringException}. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();

        default void refuse(Throwable refusal) {
            reply().completeExceptionally(refusal);
        }
    }

    /** Returns the known keys, including the seed's address where there is a seed. */
    record Look(CompletableFuture<Known> reply) implements Question {}

    /** @param hash must not be modified before the reply */
    record Sign(EvmAddress from, byte[] hash, CompletableFuture<Secp256k1.Signature> reply) implements Question {}

    /**
     * Changes the keys.
     *
     * @param work makes the change, blocking: maps the known keys to those after the change and the answer
     * @param dropped called when the change fails, also before it has started; releases its input
     */
    public record Change<T>(Function<Known, Changed<T>> work, Runnable dropped, CompletableFuture<T> reply)
            implements Question {
        @Override
        public void refuse(Throwable refusal) {
            dropped.run();
            reply.completeExceptionally(refusal);
        }
    }

    record Changed<T>(Known after, T answer) {}

    /** Takes over changes that other daemons have made to the keys. */
    record Follow(Optional<EvmKeyRecord> own, Set<EvmAddress> kept) implements Command {}

    /** Overwrites the unsealed secrets. Answered when no change is in progress. */
    record Close(CompletableFuture<Void> reply) implements Command {}

    private record SeedKnown(Outcome<SecretBytes> secret) implements Command {}

    private record Unsealed(EvmAddress address, Outcome<SecretBytes> secret) implements Command {}

    private record Ended<T>(Change<T> question, Outcome<Changed<T>> outcome) implements Command {}

    /**
     * Dependencies and settings.
     *
     * @param passphrase owned by the actor from now on
     * @param ofSeed unseals the seed's key with one Argon2id; empty without a seed
     * @param news requests the keys as the store has them; they arrive as a {@link Follow}
     */
    record Parts(
            EvmKeyFiles files,
            SecretBytes passphrase,
            Optional<Function<SecretBytes, SecretBytes>> ofSeed,
            KeyringSetup.Executors executors,
            Runnable news) {}

    private final ActorContext<Command> context;
    private final StashBuffer<Command> waiting;
    private final Parts parts;
    private final Map<EvmAddress, SecretBytes> unsealed = new HashMap<>();
    private final Map<EvmAddress, List<Sign>> waitingForKey = new HashMap<>();
    private final List<Question> waitingForSeed = new ArrayList<>();
    private Known known;

    private EvmKeyActor(ActorContext<Command> context, StashBuffer<Command> waiting, Parts parts, Known known) {
        this.context = context;
        this.waiting = waiting;
        this.parts = parts;
        this.known = known;
    }

    static Behavior<Command> create(Parts parts, Known known) {
        return Behaviors.setup(context ->
                Behaviors.withStash(WAITING, waiting -> new EvmKeyActor(context, waiting, parts, known).quiet()));
    }

    private Behavior<Command> quiet() {
        return open().onMessage(Change.class, this::onChange)
                .onMessage(Follow.class, this::onFollow)
                .onMessage(Close.class, this::onClose)
                .build();
    }

    private BehaviorBuilder<Command> open() {
        return Behaviors.receive(Command.class)
                .onMessage(Look.class, this::onLook)
                .onMessage(Sign.class, this::onSign)
                .onMessage(SeedKnown.class, this::onSeedKnown)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onSignal(PostStop.class, signal -> stopped());
    }

    /** State while a change is in progress; further changes wait. */
    private Behavior<Command> changing() {
        return open().onMessage(Change.class, this::onChangeMeanwhile)
                .onMessage(Ended.class, this::onEnded)
                .onMessage(Follow.class, message -> Behaviors.same())
                .onMessage(Close.class, this::onCloseMeanwhile)
                .build();
    }

    private Behavior<Command> closed() {
        return Behaviors.receive(Command.class)
                .onMessage(Question.class, EvmKeyActor::onQuestionTooLate)
                .onMessage(SeedKnown.class, outcome -> overwritten(outcome.secret()))
                .onMessage(Unsealed.class, outcome -> overwritten(outcome.secret()))
                .onMessage(Close.class, EvmKeyActor::onCloseAgain)
                .onAnyMessage(message -> Behaviors.same())
                .build();
    }

    private Behavior<Command> onChange(Change<?> question) {
        if (seedIsUnknown()) {
            unsealSeedFor(question);
            return Behaviors.same();
        }
        begin(question);
        return changing();
    }

    private <T> void begin(Change<T> question) {
        Known before = known;
        Outcome.pipe(
                context,
                Work.on(parts.executors().flows(), () -> question.work().apply(before)),
                changed -> new Ended<>(question, changed));
    }

    private Behavior<Command> onChangeMeanwhile(Change<?> question) {
        if (waiting.isFull()) {
            question.refuse(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, "too many changes of the account-chain key at once", 1));
        } else {
            waiting.stash(question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onEnded(Ended<?> ended) {
        end(ended);
        // A Follow received during the change was ignored, and one on its way may be older than the change: ask again.
        parts.news().run();
        return waiting.unstashAll(quiet());
    }

    private Behavior<Command> onFollow(Follow message) {
        know(new Known(message.own(), message.kept(), known.ofSeed()));
        return Behaviors.same();
    }

    private <T> void end(Ended<T> ended) {
        ended.outcome()
                .match(
                        changed -> {
                            know(changed.after());
                            ended.question().reply().complete(changed.answer());
                        },
                        failure -> {
                            know(EvmKeyChanges.after(failure, known));
                            ended.question().refuse(EvmKeyChanges.refusal(failure));
                        });
    }

    private void know(Known after) {
        known = after;
        unsealed.keySet().stream().filter(address -> !known.has(address)).toList().stream()
                .map(unsealed::remove)
                .forEach(SecretBytes::close);
    }

    private Behavior<Command> onLook(Look question) {
        if (seedIsUnknown()) {
            unsealSeedFor(question);
        } else {
            question.reply().complete(known);
        }
        return Behaviors.same();
    }

    private boolean seedIsUnknown() {
        return parts.ofSeed().isPresent() && known.ofSeed().isEmpty();
    }

    private void unsealSeedFor(Question question) {
        waitingForSeed.add(question);
        if (waitingForSeed.size() == 1) {
            Outcome.pipe(context, argon2(() -> parts.ofSeed().orElseThrow().apply(parts.passphrase())), SeedKnown::new);
        }
    }

    /** Unseals a key once for all later signatures, of which the first may be waiting. */
    private CompletableFuture<SecretBytes> argon2(Supplier<SecretBytes> unsealing) {
        return parts.executors().argon2().submit(Urgency.SPEND, unsealing);
    }

    private Behavior<Command> onSeedKnown(SeedKnown outcome) {
        List<Question> asked = List.copyOf(waitingForSeed);
        waitingForSeed.clear();
        outcome.secret()
                .match(
                        secret -> {
                            EvmAddress address = EvmAddress.ofSecret(secret);
                            known = known.withSeed(address);
                            keep(address, secret);
                            asked.forEach(context.getSelf()::tell);
                        },
                        failure -> asked.forEach(question -> question.refuse(EvmKeyChanges.refusal(failure))));
        return Behaviors.same();
    }

    private void keep(EvmAddress address, SecretBytes secret) {
        Optional.ofNullable(unsealed.put(address, secret)).ifPresent(SecretBytes::close);
    }

    private Behavior<Command> onSign(Sign question) {
        Optional<SecretBytes> secret = Optional.ofNullable(unsealed.get(question.from()));
        if (secret.isPresent()) {
            parts.executors().crypto().execute(() -> sign(secret.get(), question));
        } else if (!known.has(question.from()) && seedIsUnknown()) {
            unsealSeedFor(question);
        } else if (known.has(question.from())) {
            unsealFor(question);
        } else {
            question.refuse(unknown(question.from()));
        }
        return Behaviors.same();
    }

    private RefusedException unknown(EvmAddress address) {
        boolean none = known.current().isEmpty() && known.kept().isEmpty();
        return new RefusedException(none ? EvmKeyRefusal.noKey() : EvmKeyRefusal.notKept(address));
    }

    /** Lets all questions for the same key wait for one Argon2id. */
    private void unsealFor(Sign question) {
        EvmAddress address = question.from();
        List<Sign> others = waitingForKey.computeIfAbsent(address, unused -> new ArrayList<>());
        others.add(question);
        if (others.size() == 1) {
            Outcome.pipe(
                    context,
                    argon2(() -> parts.files().unseal(address, parts.passphrase())),
                    secret -> new Unsealed(address, secret));
        }
    }

    private Behavior<Command> onUnsealed(Unsealed outcome) {
        List<Sign> asked = waitingForKey.remove(outcome.address());
        outcome.secret()
                .match(
                        secret -> takeOver(outcome.address(), secret, asked),
                        failure -> asked.forEach(question -> question.refuse(EvmKeyChanges.refusal(failure))));
        return Behaviors.same();
    }

    private void takeOver(EvmAddress address, SecretBytes secret, List<Sign> asked) {
        if (known.has(address)) {
            keep(address, secret);
            asked.forEach(this::onSign);
        } else {
            secret.close();
            asked.forEach(question -> question.refuse(unknown(address)));
        }
    }

    /** Signs on the crypto executor. The secret may be overwritten at any time, because its key is deleted or the daemon stops. */
    private static void sign(SecretBytes secret, Sign question) {
        try {
            question.reply().complete(secret.use(key -> Secp256k1.sign(key, question.hash())));
        } catch (IllegalStateException e) {
            question.refuse(new RefusedException(EvmKeyRefusal.notKept(question.from())));
        } catch (RuntimeException e) {
            question.refuse(e);
        }
    }

    private Behavior<Command> onClose(Close command) {
        wipe();
        command.reply().complete(null);
        return closed();
    }

    /** Waits for the running change, which may have written already, and for its answer before closing. */
    private Behavior<Command> onCloseMeanwhile(Close command) {
        waiting.forEach(question -> ((Question) question).refuse(KeyringFailures.stopping()));
        waiting.clear();
        return Behaviors.receive(Command.class)
                .onMessage(Question.class, EvmKeyActor::onQuestionTooLate)
                .onMessage(Ended.class, outcome -> onEndedAtTheClose(outcome, command))
                .onMessage(SeedKnown.class, this::onSeedKnown)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Close.class, EvmKeyActor::onCloseAgain)
                .onSignal(PostStop.class, signal -> stopped())
                .build();
    }

    private Behavior<Command> onEndedAtTheClose(Ended<?> outcome, Close command) {
        onEnded(outcome);
        return onClose(command);
    }

    private static Behavior<Command> onQuestionTooLate(Question question) {
        question.refuse(KeyringFailures.stopping());
        return Behaviors.same();
    }

    private static Behavior<Command> overwritten(Outcome<SecretBytes> tooLate) {
        tooLate.value().ifPresent(SecretBytes::close);
        return Behaviors.same();
    }

    private static Behavior<Command> onCloseAgain(Close command) {
        command.reply().complete(null);
        return Behaviors.same();
    }

    private Behavior<Command> stopped() {
        wipe();
        return Behaviors.same();
    }

    private void wipe() {
        unsealed.values().forEach(SecretBytes::close);
        unsealed.clear();
        parts.passphrase().close();
        waitingForSeed.forEach(question -> question.refuse(KeyringFailures.stopping()));
        waitingForSeed.clear();
        waitingForKey.values().forEach(asked -> asked.forEach(question -> question.refuse(KeyringFailures.stopping())));
        waitingForKey.clear();
    }
}
