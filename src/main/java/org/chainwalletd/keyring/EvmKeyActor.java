package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeyChanges.Known;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.chainwalletd.stage.Outcome;

/**
 * Owns the account-chain key: which one is current, which others are kept, and the secrets of those that were unsealed. One change at a time;
 * signing goes on beside it. Each change is durable before it is answered.
 *
 * <p>Talks to the Keyring actor, which alone writes {@code state.json}, and to whoever asks. It is never restarted: when it stops, its secrets
 * are overwritten, and the next process reads the record and the sealed files again. Once closed it stays to refuse what still comes.
 */
final class EvmKeyActor {
    /** Changes that wait for another one; more are refused. */
    private static final int WAITING = 64;

    sealed interface Command {}

    /** A command with an answer, which fails with {@link EvmKeyException} or {@link KeyringException}. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();

        default void refuse(Throwable refusal) {
            reply().completeExceptionally(refusal);
        }
    }

    /** A question that changes the keys. */
    sealed interface Changing extends Question {}

    /** What is known, with the seed's address where there is a seed. */
    record Look(CompletableFuture<Known> reply) implements Question {}

    /** @param hash not changed by anybody until the reply */
    record Sign(EvmAddress from, byte[] hash, CompletableFuture<Secp256k1.Signature> reply) implements Question {}

    /** Makes {@code key} the current one; its secrets are overwritten when it is sealed. */
    record Put(NewEvmKey key, EvmReplacement replacement, CompletableFuture<Known> reply) implements Changing {
        @Override
        public void refuse(Throwable refusal) {
            key.close();
            reply.completeExceptionally(refusal);
        }
    }

    /** Takes in the keys of a vault, the one that shall be current first. */
    record Restore(List<NewEvmKey> keys, CompletableFuture<Known> reply) implements Changing {
        @Override
        public void refuse(Throwable refusal) {
            keys.forEach(NewEvmKey::close);
            reply.completeExceptionally(refusal);
        }
    }

    /**
     * @param proved the current key, whose passphrase was proved
     * @param guard empty to delete it whatever it holds
     */
    record Delete(EvmAddress proved, Optional<EvmKeyGuard> guard, CompletableFuture<Known> reply) implements Changing {}

    /** Overwrites what was unsealed. Answered when no change is under way. */
    record Close(CompletableFuture<Void> reply) implements Command {}

    private record SeedKnown(Outcome<SecretBytes> secret) implements Command {}

    private record Unsealed(EvmAddress address, Outcome<SecretBytes> secret) implements Command {}

    private record Changed(Changing question, Outcome<Known> after) implements Command {}

    /**
     * What it works with.
     *
     * @param passphrase belongs to the actor from now on
     * @param ofSeed unseals the seed's key; empty without a seed
     */
    record Parts(
            EvmKeyFiles files,
            EvmKeyChanges changes,
            SecretBytes passphrase,
            Optional<Function<SecretBytes, CompletableFuture<SecretBytes>>> ofSeed,
            Executor crypto) {}

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
        return Behaviors.receive(Command.class)
                .onMessage(Changing.class, this::onChanging)
                .onMessage(Look.class, this::onLook)
                .onMessage(Sign.class, this::onSign)
                .onMessage(SeedKnown.class, this::onSeedKnown)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Close.class, this::onClose)
                .onSignal(PostStop.class, signal -> stopped())
                .build();
    }

    /** One change is under way; the next ones wait. */
    private Behavior<Command> changing() {
        return Behaviors.receive(Command.class)
                .onMessage(Changing.class, this::onChangingMeanwhile)
                .onMessage(Look.class, this::onLook)
                .onMessage(Sign.class, this::onSign)
                .onMessage(SeedKnown.class, this::onSeedKnown)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Changed.class, this::onChanged)
                .onMessage(Close.class, this::onCloseMeanwhile)
                .onSignal(PostStop.class, signal -> stopped())
                .build();
    }

    private Behavior<Command> closed() {
        return Behaviors.receive(Command.class)
                .onMessage(Question.class, EvmKeyActor::onQuestionTooLate)
                .onMessage(SeedKnown.class, EvmKeyActor::onSeedTooLate)
                .onMessage(Unsealed.class, EvmKeyActor::onSecretTooLate)
                .onMessage(Close.class, EvmKeyActor::onCloseAgain)
                .onAnyMessage(message -> Behaviors.same())
                .build();
    }

    private Behavior<Command> onChanging(Changing question) {
        if (seedIsUnknown()) {
            unsealSeedFor(question);
            return Behaviors.same();
        }
        context.pipeToSelf(change(question), (after, failure) -> new Changed(question, Outcome.of(after, failure)));
        return changing();
    }

    private CompletableFuture<Known> change(Changing question) {
        if (question instanceof Put put) {
            return parts.changes().put(known, put.key(), put.replacement());
        }
        if (question instanceof Restore restore) {
            return parts.changes().restore(known, restore.keys());
        }
        Delete delete = (Delete) question;
        return parts.changes().delete(known, delete.proved(), delete.guard());
    }

    private Behavior<Command> onChangingMeanwhile(Changing question) {
        if (waiting.isFull()) {
            question.refuse(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, "too many changes of the account-chain key at once", 1));
        } else {
            waiting.stash(question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onChanged(Changed outcome) {
        outcome.after()
                .match(
                        after -> {
                            know(after);
                            closeKeys(outcome.question());
                            complete(outcome.question());
                        },
                        failure -> {
                            know(EvmKeyChanges.after(failure, known));
                            outcome.question().refuse(EvmKeyChanges.refusal(failure));
                        });
        return waiting.unstashAll(quiet());
    }

    private void know(Known after) {
        known = after;
        unsealed.keySet().stream().filter(address -> !known.has(address)).toList().stream()
                .map(unsealed::remove)
                .forEach(SecretBytes::close);
    }

    private static void closeKeys(Changing question) {
        if (question instanceof Put put) {
            put.key().close();
        } else if (question instanceof Restore restore) {
            restore.keys().forEach(NewEvmKey::close);
        }
    }

    private void complete(Changing question) {
        if (question instanceof Put put) {
            put.reply().complete(known);
        } else if (question instanceof Restore restore) {
            restore.reply().complete(known);
        } else {
            ((Delete) question).reply().complete(known);
        }
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
            context.pipeToSelf(
                    parts.ofSeed().orElseThrow().apply(parts.passphrase()),
                    (secret, failure) -> new SeedKnown(Outcome.of(secret, failure)));
        }
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
            parts.crypto().execute(() -> sign(secret.get(), question));
        } else if (!known.has(question.from()) && seedIsUnknown()) {
            unsealSeedFor(question);
        } else if (known.has(question.from())) {
            unsealFor(question);
        } else {
            question.refuse(unknown(question.from()));
        }
        return Behaviors.same();
    }

    private EvmKeyException unknown(EvmAddress address) {
        boolean none = known.current().isEmpty() && known.kept().isEmpty();
        return new EvmKeyException(none ? new EvmKeyRefusal.NoKey() : new EvmKeyRefusal.NotKept(address));
    }

    /** Everybody who needs the same key waits for one Argon2id. */
    private void unsealFor(Sign question) {
        EvmAddress address = question.from();
        List<Sign> others = waitingForKey.computeIfAbsent(address, unused -> new ArrayList<>());
        others.add(question);
        if (others.size() == 1) {
            context.pipeToSelf(
                    parts.files().unseal(address, parts.passphrase()),
                    (secret, failure) -> new Unsealed(address, Outcome.of(secret, failure)));
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

    /** The secret may be overwritten at any time, because its key was deleted or the daemon ends. */
    private static void sign(SecretBytes secret, Sign question) {
        try {
            question.reply().complete(secret.use(key -> Secp256k1.sign(key, question.hash())));
        } catch (IllegalStateException e) {
            question.refuse(new EvmKeyException(new EvmKeyRefusal.NotKept(question.from())));
        } catch (RuntimeException e) {
            question.refuse(e);
        }
    }

    private Behavior<Command> onClose(Close command) {
        wipe();
        command.reply().complete(null);
        return closed();
    }

    /** The change has begun to write: its answer comes first. */
    private Behavior<Command> onCloseMeanwhile(Close command) {
        waiting.forEach(question -> ((Question) question).refuse(KeyringFailures.stopping()));
        waiting.clear();
        return Behaviors.receive(Command.class)
                .onMessage(Question.class, EvmKeyActor::onQuestionTooLate)
                .onMessage(Changed.class, outcome -> onChangedAtTheEnd(outcome, command))
                .onMessage(SeedKnown.class, this::onSeedKnown)
                .onMessage(Unsealed.class, this::onUnsealed)
                .onMessage(Close.class, EvmKeyActor::onCloseAgain)
                .onSignal(PostStop.class, signal -> stopped())
                .build();
    }

    private Behavior<Command> onChangedAtTheEnd(Changed outcome, Close command) {
        onChanged(outcome);
        return onClose(command);
    }

    private static Behavior<Command> onQuestionTooLate(Question question) {
        question.refuse(KeyringFailures.stopping());
        return Behaviors.same();
    }

    private static Behavior<Command> onSeedTooLate(SeedKnown outcome) {
        outcome.secret().value().ifPresent(SecretBytes::close);
        return Behaviors.same();
    }

    private static Behavior<Command> onSecretTooLate(Unsealed outcome) {
        outcome.secret().value().ifPresent(SecretBytes::close);
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
