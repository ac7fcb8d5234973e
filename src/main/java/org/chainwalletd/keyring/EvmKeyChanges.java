package org.chainwalletd.keyring;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.CrashPoint;

/**
 * The ways of account-chain keys into the keyring and out of it, each one stage from the question to the last durable write; one at a time. A
 * key that comes: nobody objects, what stands in its place is kept, it is sealed, recorded. One that goes: nobody objects, its record goes,
 * then its files. Stateless: what is known before and after is handed in and out.
 */
final class EvmKeyChanges {
    /**
     * The keys at one moment.
     *
     * @param own the record of the current key, unless it is the seed's
     * @param kept addresses with a place of their own, the current one perhaps among them
     * @param ofSeed the seed's address; empty without a seed, and until it was needed
     */
    record Known(Optional<EvmKeyRecord> own, Set<EvmAddress> kept, Optional<EvmAddress> ofSeed) {
        Known {
            kept = Set.copyOf(kept);
        }

        Optional<EvmAddress> current() {
            return own.map(EvmKeyRecord::address).or(() -> ofSeed);
        }

        /** Whether its blobs are there, so that it needs no seed. */
        boolean isStored(EvmAddress address) {
            return kept.contains(address) || own.map(EvmKeyRecord::address).equals(Optional.of(address));
        }

        boolean has(EvmAddress address) {
            return isStored(address) || ofSeed.equals(Optional.of(address));
        }

        Known withOwn(Optional<EvmKeyRecord> record) {
            return new Known(record, kept, ofSeed);
        }

        Known keeping(Optional<EvmAddress> address) {
            Set<EvmAddress> more = new HashSet<>(kept);
            address.ifPresent(more::add);
            return new Known(own, more, ofSeed);
        }

        Known without(EvmAddress address) {
            Set<EvmAddress> fewer = new HashSet<>(kept);
            fewer.remove(address);
            return new Known(Optional.empty(), fewer, ofSeed);
        }

        Known withSeed(EvmAddress address) {
            return new Known(own, kept, Optional.of(address));
        }
    }

    /** How the record of the current key becomes durable. */
    @FunctionalInterface
    interface Recording {
        /** @param before where a test kills the process when everything but the record is there */
        CompletableFuture<Void> record(CrashPoint before, Optional<EvmKeyRecord> key);
    }

    private final EvmKeyFiles files;
    private final SecretBytes passphrase;
    private final Recording recording;
    private final InstantSource clock;
    private final Executor crypto;

    EvmKeyChanges(
            EvmKeyFiles files, SecretBytes passphrase, Recording recording, InstantSource clock, Executor crypto) {
        this.files = files;
        this.passphrase = passphrase;
        this.recording = recording;
        this.clock = clock;
        this.crypto = crypto;
    }

    /** Makes {@code key} the current one. It stays open. */
    CompletableFuture<Known> put(Known known, NewEvmKey key, EvmReplacement replacement) {
        Optional<EvmAddress> current = known.current();
        if (current.isPresent() && replacement instanceof EvmReplacement.Never never) {
            return refused(new EvmKeyRefusal.Present(current.get(), never.way()));
        }
        Optional<EvmAddress> leaving = current.filter(address -> !address.equals(key.address()));
        if (isThere(known, key)) {
            return CompletableFuture.completedFuture(known);
        }
        return leaving.map(address -> allowed(address, replacement))
                .orElseGet(() -> CompletableFuture.completedFuture(null))
                .thenComposeAsync(allowed -> install(known, key), crypto);
    }

    /** A raw key is there again when somebody brings its phrase. */
    private static boolean isThere(Known known, NewEvmKey key) {
        return known.own()
                .filter(own -> own.address().equals(key.address()))
                .filter(own -> own.source().hasPhrase() || key.entropy().isEmpty())
                .isPresent();
    }

    private CompletableFuture<Known> install(Known known, NewEvmKey key) {
        EvmKeyRecord record = new EvmKeyRecord(key.address(), clock.instant().getEpochSecond(), key.source());
        return files.keepCurrent(passphrase)
                .thenComposeAsync(
                        kept -> files.writeCurrent(key, passphrase).thenApplyAsync(done -> known.keeping(kept), crypto),
                        crypto)
                .thenComposeAsync(
                        after -> recording
                                .record(CrashPoint.EVM_KEY_BEFORE_STATE, Optional.of(record))
                                .thenApplyAsync(
                                        done -> {
                                            CrashPoint.EVM_KEY_BEFORE_ANSWER.reached();
                                            return after.withOwn(Optional.of(record));
                                        },
                                        crypto),
                        crypto);
    }

    /** Takes in the keys of a vault: one of them as the current one when there is none, all others beside it. They stay open. */
    CompletableFuture<Known> restore(Known known, List<NewEvmKey> keys) {
        CompletableFuture<Known> restored = CompletableFuture.completedFuture(known);
        for (NewEvmKey key : keys) {
            restored = restored.thenComposeAsync(before -> restore(before, key), crypto);
        }
        return restored;
    }

    private CompletableFuture<Known> restore(Known known, NewEvmKey key) {
        if (known.has(key.address())) {
            return CompletableFuture.completedFuture(known);
        }
        if (known.current().isEmpty()) {
            return install(known, key);
        }
        return files.writeKept(key, passphrase)
                .thenApplyAsync(done -> known.keeping(Optional.of(key.address())), crypto);
    }

    /**
     * Removes the current key for good.
     *
     * @param proved the one whose passphrase was proved; another one is current when somebody replaced it meanwhile
     */
    CompletableFuture<Known> delete(Known known, EvmAddress proved, Optional<EvmKeyGuard> guard) {
        if (!known.current().equals(Optional.of(proved))) {
            return refused(new EvmKeyRefusal.Invalid("another account-chain key took its place just now"));
        }
        if (known.own().isEmpty()) {
            return refused(new EvmKeyRefusal.Invalid(
                    "the account-chain key " + proved + " is derived from the keyring's seed and cannot be deleted"));
        }
        return guard.map(asked -> objections(asked, proved))
                .orElseGet(() -> CompletableFuture.completedFuture(List.of()))
                .thenComposeAsync(
                        objections -> objections.isEmpty()
                                ? files.placesOf(proved, passphrase)
                                : refused(new EvmKeyRefusal.Needed(proved, objections, "force: true overrides")),
                        crypto)
                .thenComposeAsync(
                        places -> recording
                                .record(CrashPoint.EVM_DELETE_BEFORE_STATE, Optional.empty())
                                .thenComposeAsync(done -> removed(places, known.without(proved)), crypto),
                        crypto);
    }

    private CompletableFuture<Known> removed(List<SealedPlace> places, Known after) {
        return files.remove(places)
                .handleAsync(
                        (done, failure) -> {
                            if (failure != null) {
                                throw new RecordGone(after, KeyringFailures.of(failure));
                            }
                            return after;
                        },
                        crypto);
    }

    /** The key is no longer the keyring's, although something of it is still on the disk. */
    static final class RecordGone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Known after;
        private final KeyringException refusal;

        private RecordGone(Known after, KeyringException refusal) {
            super(refusal.getMessage(), null, false, false);
            this.after = after;
            this.refusal = refusal;
        }
    }

    /** What is known when a change has failed. */
    static Known after(Throwable failure, Known before) {
        return Causes.of(failure) instanceof RecordGone gone ? gone.after : before;
    }

    /** As callers know it: refusals of either kind as they are. */
    static RuntimeException refusal(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof RecordGone gone) {
            return gone.refusal;
        }
        return cause instanceof EvmKeyException refused ? refused : KeyringFailures.of(cause);
    }

    private CompletableFuture<Void> allowed(EvmAddress leaving, EvmReplacement replacement) {
        boolean forced = replacement instanceof EvmReplacement.Forced;
        return objections(replacement.asked().orElseThrow(), leaving)
                .thenComposeAsync(
                        objections -> {
                            List<EvmKeyObjection> left = objections.stream()
                                    .filter(objection -> !forced || objection instanceof EvmKeyObjection.OpenSwap)
                                    .toList();
                            return left.isEmpty()
                                    ? CompletableFuture.completedFuture(null)
                                    : refused(new EvmKeyRefusal.Needed(
                                            leaving,
                                            left,
                                            forced ? "" : "evm_delete_key with force goes past a balance"));
                        },
                        crypto);
    }

    /** A guard is somebody else's code. What it cannot say may be a swap that is open: no force goes past that. */
    private CompletableFuture<List<EvmKeyObjection>> objections(EvmKeyGuard guard, EvmAddress address) {
        return CompletableFuture.completedFuture(address)
                .thenComposeAsync(guard::objections, crypto)
                .exceptionallyAsync(
                        failure ->
                                List.of(new EvmKeyObjection.OpenSwap("whether it is still needed could not be checked: "
                                        + KeyringFailures.of(failure).getMessage())),
                        crypto);
    }

    private static <T> CompletableFuture<T> refused(EvmKeyRefusal refusal) {
        return CompletableFuture.failedFuture(new EvmKeyException(refusal));
    }
}
