package org.chainwalletd.keyring;

import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Spawner;

/** Questions to the Keyring actor, and rate-limited attempts to prove a passphrase. Stages fail with {@link KeyringException}. */
final class KeyringQuestions {
    private final ActorRef<KeyringProtocol.Command> actor;
    private final ActorRef<PassphraseAttempts.Command> keystoreAttempts;
    private final ActorRef<PassphraseAttempts.Command> vaultAttempts;
    private final Executor crypto;

    KeyringQuestions(
            ActorRef<KeyringProtocol.Command> actor, KeyringSetup setup, KeyringMetrics metrics, Spawner spawner) {
        this.actor = actor;
        this.keystoreAttempts = spawner.spawn(
                PassphraseAttempts.create(
                        setup.executors().argon2(), setup.clock(), metrics.wrongPassphrases("keystore")),
                "keystore-attempts");
        this.vaultAttempts = spawner.spawn(
                PassphraseAttempts.create(setup.executors().argon2(), setup.clock(), metrics.wrongPassphrases("vault")),
                "vault-attempts");
        this.crypto = setup.executors().crypto();
    }

    void tell(KeyringProtocol.Command command) {
        actor.tell(command);
    }

    <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, KeyringProtocol.Command> question) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        actor.tell(question.apply(reply));
        return reply;
    }

    CompletableFuture<KeyEntry> entry(Address address) {
        return this.<Optional<KeyEntry>>ask(reply -> new KeyringProtocol.Find(address, false, reply))
                .thenApplyAsync(found -> found.orElseThrow(() -> KeyringFailures.unknown(address)), crypto);
    }

    /** Returns the material of an export; the caller closes the passphrase. Blocks until the actor has answered. */
    KeyringProtocol.Lent lent() {
        return Flows.join(ask(KeyringProtocol.Lend::new));
    }

    /**
     * Verifies the keystore's passphrase by {@code proof} on an Argon2id thread, as soon as an attempt is allowed.
     *
     * @param abandoned checked before the proof, see {@link KeyringFailures#unless}
     */
    <T> CompletableFuture<T> attempt(BooleanSupplier abandoned, Supplier<T> proof) {
        return attempt(keystoreAttempts, abandoned, proof);
    }

    /** Does the same for a vault's passphrase. */
    <T> CompletableFuture<T> attemptVault(BooleanSupplier abandoned, Supplier<T> proof) {
        return attempt(vaultAttempts, abandoned, proof);
    }

    private static <T> CompletableFuture<T> attempt(
            ActorRef<PassphraseAttempts.Command> counted, BooleanSupplier abandoned, Supplier<T> proof) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        counted.tell(new PassphraseAttempts.Attempt<>(() -> KeyringFailures.unless(abandoned, proof), reply));
        return reply;
    }

    /**
     * Owns the count of wrong passphrases. All verification of passphrases from requests goes through here: a few attempts at a time, and
     * after some wrong ones only after a pause that doubles up to a minute. During the pause every attempt is refused, even a correct one,
     * so that guessing in parallel gains nothing.
     *
     * <p>Replies to the asker only. The count starts at zero with the process, so resetting it costs an attacker a restart of the daemon.
     */
    static final class PassphraseAttempts {
        /** Wrong attempt from which on a pause follows; the ones before it cause none. */
        static final int FREE = 3;

        static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
        private static final int AT_ONCE = 2;
        private static final int WAITING = 64;

        sealed interface Command {}

        /**
         * @param work costs one or two Argon2id; fails with {@link Reason#LOCKED} for a wrong passphrase
         * @param reply gets the outcome of the work, or {@link Reason#TOO_MANY_ATTEMPTS}
         */
        record Attempt<T>(Supplier<T> work, CompletableFuture<T> reply) implements Command {}

        private record Ended<T>(Attempt<T> attempt, Outcome<T> outcome) implements Command {}

        private final ActorContext<Command> context;
        private final Stretching argon2;
        private final InstantSource clock;
        private final Counter wrong;
        private final Deque<Attempt<?>> waiting = new ArrayDeque<>();
        private int running;
        private int failures;
        private Instant pauseEnds = Instant.EPOCH;

        private PassphraseAttempts(
                ActorContext<Command> context, Stretching argon2, InstantSource clock, Counter wrong) {
            this.context = context;
            this.argon2 = argon2;
            this.clock = clock;
            this.wrong = wrong;
        }

        static Behavior<Command> create(Stretching argon2, InstantSource clock, Counter wrong) {
            return Behaviors.setup(context -> new PassphraseAttempts(context, argon2, clock, wrong).counting());
        }

        private Behavior<Command> counting() {
            return Behaviors.receive(Command.class)
                    .onMessage(Attempt.class, this::onAttempt)
                    .onMessage(Ended.class, this::onEnded)
                    .build();
        }

        private Behavior<Command> onAttempt(Attempt<?> attempt) {
            if (waiting.size() == WAITING) {
                attempt.reply().completeExceptionally(tooMany("too many passphrase attempts at once", 1));
            } else {
                waiting.add(attempt);
                next();
            }
            return Behaviors.same();
        }

        private Behavior<Command> onEnded(Ended<?> ended) {
            running--;
            finish(ended);
            next();
            return Behaviors.same();
        }

        private <T> void finish(Ended<T> ended) {
            ended.outcome().match(value -> proved(ended.attempt(), value), cause -> refused(ended.attempt(), cause));
        }

        private <T> void proved(Attempt<T> attempt, T value) {
            failures = 0;
            attempt.reply().complete(value);
        }

        private void refused(Attempt<?> attempt, Throwable cause) {
            KeyringException failure = KeyringFailures.of(cause);
            if (failure.reason() == Reason.LOCKED) {
                wrong.increment();
                failures++;
                if (failures >= FREE) {
                    long seconds = Math.min(LONGEST_PAUSE.toSeconds(), 1L << Math.min(failures - FREE, 30));
                    pauseEnds = clock.instant().plusSeconds(seconds);
                }
            }
            attempt.reply().completeExceptionally(failure);
        }

        private void next() {
            while (running < AT_ONCE && !waiting.isEmpty()) {
                start(waiting.remove());
            }
        }

        private <T> void start(Attempt<T> attempt) {
            Duration pause = Duration.between(clock.instant(), pauseEnds);
            // A remaining pause longer than the maximum means that the clock was set back.
            boolean pausing = !pause.isNegative() && !pause.isZero() && pause.compareTo(LONGEST_PAUSE) <= 0;
            if (failures >= FREE && pausing) {
                long seconds = pause.plusMillis(999).toSeconds();
                attempt.reply()
                        .completeExceptionally(tooMany(
                                "too many wrong passphrases; the next attempt is possible in " + seconds + " s",
                                seconds));
                return;
            }
            running++;
            Outcome.pipe(context, argon2.submit(Urgency.PROOF, attempt.work()), value -> new Ended<>(attempt, value));
        }

        private static KeyringException tooMany(String message, long retryAfterSeconds) {
            return new KeyringException(Reason.TOO_MANY_ATTEMPTS, message, retryAfterSeconds);
        }
    }
}
