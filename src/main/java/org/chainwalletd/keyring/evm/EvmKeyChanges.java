package org.chainwalletd.keyring.evm;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.EvmKeyRecord;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.files.CrashPoint;

/**
 * The ways of account-chain keys into the keyring and out of it, each from the question to the last durable write; one at a time. A
 * key that comes: nobody objects, what stands in its place is kept, it is sealed, recorded. One that goes: nobody objects, its record goes,
 * then its files. Stateless: what is known before and after is handed in and out. Blocking.
 */
public final class EvmKeyChanges {
    /**
     * The keys at one moment.
     *
     * @param own the record of the current key, unless it is the seed's
     * @param kept addresses with a place of their own, the current one perhaps among them
     * @param ofSeed the seed's address; empty without a seed, and until it was needed
     */
    public record Known(Optional<EvmKeyRecord> own, Set<EvmAddress> kept, Optional<EvmAddress> ofSeed) {
        public Known {
            kept = Set.copyOf(kept);
        }

        Optional<EvmAddress> current() {
            return own.map(EvmKeyRecord::address).or(() -> ofSeed);
        }

        /** Whether its blobs are there, so that it needs no seed. */
        boolean isStored(EvmAddress address) {
            return kept.contains(address) || own.map(EvmKeyRecord::address).equals(Optional.of(address));
        }

        public boolean has(EvmAddress address) {
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
    public interface Recording {
        /** @param before where a test kills the process when everything but the record is there */
        void record(CrashPoint before, KeyTable.Change.EvmKeyChange change);
    }

    private final EvmKeyFiles files;
    private final SecretBytes passphrase;
    private final Recording recording;
    private final InstantSource clock;

    public EvmKeyChanges(EvmKeyFiles files, SecretBytes passphrase, Recording recording, InstantSource clock) {
        this.files = files;
        this.passphrase = passphrase;
        this.recording = recording;
        this.clock = clock;
    }

    /** Makes {@code key} the current one. It stays open. */
    Known put(Known known, NewEvmKey key, EvmReplacement replacement) {
        Optional<EvmAddress> current = known.current();
        if (current.isPresent() && replacement instanceof EvmReplacement.Never never) {
            throw new RefusedException(EvmKeyRefusal.present(current.get(), never.way()));
        }
        if (isThere(known, key)) {
            return known;
        }
        current.filter(address -> !address.equals(key.address()))
                .ifPresent(leaving -> requireAllowed(leaving, replacement));
        return install(known, key);
    }

    /** A raw key is there again when somebody brings its phrase. */
    private static boolean isThere(Known known, NewEvmKey key) {
        return known.own()
                .filter(own -> own.address().equals(key.address()))
                .filter(own -> own.source().hasPhrase() || key.entropy().isEmpty())
                .isPresent();
    }

    private Known install(Known known, NewEvmKey key) {
        EvmKeyRecord record = new EvmKeyRecord(key.address(), clock.instant().getEpochSecond(), key.source());
        Known after = known.keeping(files.keepCurrent(passphrase));
        Map<SealedPlace, SealedBlob> sealed = files.writeCurrent(key, passphrase);
        if (!sealed.isEmpty()) {
            after = after.keeping(Optional.of(key.address()));
        }
        recording.record(
                CrashPoint.EVM_KEY_BEFORE_STATE,
                new KeyTable.Change.EvmKeyChange(known.own(), Optional.of(record), sealed, List.of()));
        CrashPoint.EVM_KEY_BEFORE_ANSWER.reached();
        return after.withOwn(Optional.of(record));
    }

    /** Takes in the keys of a vault: one of them as the current one when there is none, all others beside it. They stay open. */
    public Known restore(Known known, List<NewEvmKey> keys) {
        Known after = known;
        for (NewEvmKey key : keys) {
            if (!after.has(key.address())) {
                after = after.current().isEmpty() ? install(after, key) : keep(after, key);
            }
        }
        return after;
    }

    private Known keep(Known known, NewEvmKey key) {
        files.writeKept(key, passphrase);
        return known.keeping(Optional.of(key.address()));
    }

    /**
     * Removes the current key for good.
     *
     * @param proved the one whose passphrase was proved; another one is current when somebody replaced it meanwhile
     */
    Known delete(Known known, EvmAddress proved, Optional<EvmKeyGuard> guard) {
        if (!known.current().equals(Optional.of(proved))) {
            throw RefusedException.invalidParams("another account-chain key took its place just now");
        }
        if (known.own().isEmpty()) {
            throw RefusedException.invalidParams(
                    "the account-chain key " + proved + " is derived from the keyring's seed and cannot be deleted");
        }
        List<EvmKeyGuard.Objection> objections =
                guard.map(asked -> objections(asked, proved)).orElse(List.of());
        if (!objections.isEmpty()) {
            throw new RefusedException(EvmKeyRefusal.needed(proved, objections, "force: true overrides"));
        }
        List<SealedPlace> places = files.placesOf(proved, passphrase);
        recording.record(
                CrashPoint.EVM_DELETE_BEFORE_STATE,
                new KeyTable.Change.EvmKeyChange(known.own(), Optional.empty(), Map.of(), places));
        Known after = known.without(proved);
        try {
            files.remove(places);
        } catch (RuntimeException e) {
            throw new RecordGone(after, KeyringFailures.ofRest(e));
        }
        return after;
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

    /** Knowledge when a change has failed. */
    static Known after(Throwable failure, Known before) {
        return Causes.of(failure) instanceof RecordGone gone ? gone.after : before;
    }

    /** As callers know it: refusals of either kind as they are. */
    static RuntimeException refusal(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof RecordGone gone) {
            return gone.refusal;
        }
        return cause instanceof RefusedException refused ? refused : KeyringFailures.of(cause);
    }

    private void requireAllowed(EvmAddress leaving, EvmReplacement replacement) {
        boolean forced = replacement instanceof EvmReplacement.Forced;
        List<EvmKeyGuard.Objection> left = objections(replacement.asked().orElseThrow(), leaving).stream()
                .filter(objection -> !forced || objection instanceof EvmKeyGuard.Objection.OpenSwap)
                .toList();
        if (!left.isEmpty()) {
            throw new RefusedException(
                    EvmKeyRefusal.needed(leaving, left, forced ? "" : "evm_delete_key with force goes past a balance"));
        }
    }

    /** A guard is somebody else's code. What it cannot say may be a swap that is open: no force goes past that. */
    private static List<EvmKeyGuard.Objection> objections(EvmKeyGuard guard, EvmAddress address) {
        try {
            return Flows.join(guard.objections(address));
        } catch (RuntimeException e) {
            return List.of(new EvmKeyGuard.Objection.OpenSwap("whether it is still needed could not be checked: "
                    + KeyringFailures.of(e).getMessage()));
        }
    }

    /** Whether a new account-chain key may take the place of the current one, which is kept, sealed, by its address (swap.md, section 5). */
    public sealed interface EvmReplacement {
        /** It may not: a present key is refused, and told how to go past. */
        record Never(String way) implements EvmReplacement {}

        /** It may, when the guard has nothing against it. */
        record Guarded(EvmKeyGuard guard) implements EvmReplacement {}

        /** It may, whatever the key holds, unless a swap is open. */
        record Forced(EvmKeyGuard guard) implements EvmReplacement {}

        /** Empty for one that never replaces. */
        default Optional<EvmKeyGuard> asked() {
            if (this instanceof Guarded guarded) {
                return Optional.of(guarded.guard());
            }
            return this instanceof Forced forced ? Optional.of(forced.guard()) : Optional.empty();
        }
    }
}
