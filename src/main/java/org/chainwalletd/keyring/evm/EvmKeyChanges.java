package org.chainwalletd.keyring.evm;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
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
 * Changes of the account-chain keys, each from the request to the last durable write; one at a time. Adding a key: ask the guard, keep the
 * blobs in the current key's places, seal the new key, record it. Removing a key: ask the guard, remove its record, then its files.
 * Stateless: the known keys are passed in and returned. Blocking.
 */
public final class EvmKeyChanges {
    /**
     * Known keys at one point in time.
     *
     * @param own record of the current key, unless that is the seed's key
     * @param kept addresses of the keys that have their own place, possibly including the current one
     * @param ofSeed address of the seed's key; empty without a seed and until it was first needed
     */
    public record Known(Optional<EvmKeyRecord> own, Set<EvmAddress> kept, Optional<EvmAddress> ofSeed) {
        public Known {
            kept = Set.copyOf(kept);
        }

        Optional<EvmAddress> current() {
            return own.map(EvmKeyRecord::address).or(() -> ofSeed);
        }

        /** Whether the key has its own sealed blob and needs no seed. */
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

    /** Makes the record of the current key durable. */
    @FunctionalInterface
    public interface Recording {
        /** @param before crash point after all writes but the record */
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

    /**
     * Makes {@code key} the current one; {@code key} stays open.
     *
     * @param abandoned checked before the key is sealed, see {@link KeyringFailures#unless}
     */
    Known put(Known known, NewEvmKey key, EvmReplacement replacement, BooleanSupplier abandoned) {
        Optional<EvmAddress> current = known.current();
        if (current.isPresent() && replacement instanceof EvmReplacement.Never never) {
            throw new RefusedException(EvmKeyRefusal.present(current.get(), never.way()));
        }
        if (isThere(known, key)) {
            return known;
        }
        current.filter(address -> !address.equals(key.address()))
                .ifPresent(leaving -> requireAllowed(leaving, replacement));
        return install(known, key, abandoned);
    }

    /**
     * Whether {@code key} is the current key already. A raw key imported again with its phrase counts as a new key, because the phrase must
     * be stored.
     */
    private static boolean isThere(Known known, NewEvmKey key) {
        return known.own()
                .filter(own -> own.address().equals(key.address()))
                .filter(own -> own.source().hasPhrase() || key.entropy().isEmpty())
                .isPresent();
    }

    private Known install(Known known, NewEvmKey key, BooleanSupplier abandoned) {
        EvmKeyRecord record = new EvmKeyRecord(key.address(), clock.instant().getEpochSecond(), key.source());
        Known after = known.keeping(files.keepCurrent(passphrase));
        Map<SealedPlace, SealedBlob> sealed = files.writeCurrent(key, passphrase, abandoned);
        if (!sealed.isEmpty()) {
            after = after.keeping(Optional.of(key.address()));
        }
        recording.record(
                CrashPoint.EVM_KEY_BEFORE_STATE,
                new KeyTable.Change.EvmKeyChange(known.own(), Optional.of(record), sealed, List.of()));
        CrashPoint.EVM_KEY_BEFORE_ANSWER.reached();
        return after.withOwn(Optional.of(record));
    }

    /**
     * Imports the keys of a vault: the first becomes the current one if there is none, all others are kept. They stay open. A failure is the
     * cause itself while no key is imported, as with a single key, and {@link PartlyDone} afterwards.
     */
    public Known restore(Known known, List<NewEvmKey> keys) {
        Known after = known;
        for (NewEvmKey key : keys) {
            try {
                if (!after.has(key.address())) {
                    after = after.current().isEmpty() ? install(after, key, EvmKeyFiles.NEVER) : keep(after, key);
                }
            } catch (RuntimeException e) {
                throw after.equals(known) ? e : new PartlyDone(after, refusal(e));
            }
        }
        return after;
    }

    private Known keep(Known known, NewEvmKey key) {
        files.writeKept(key, passphrase);
        return known.keeping(Optional.of(key.address()));
    }

    /**
     * Removes the current key permanently.
     *
     * @param proved key whose passphrase was verified; no longer the current one if it was replaced meanwhile
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
            throw new PartlyDone(after, KeyringFailures.ofRest(e));
        }
        return after;
    }

    /** A change failed after some of it had become durable. */
    static final class PartlyDone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Known after;
        private final RuntimeException refusal;

        /** @param after the known keys with what is durable */
        private PartlyDone(Known after, RuntimeException refusal) {
            super(refusal.getMessage(), null, false, false);
            this.after = after;
            this.refusal = refusal;
        }
    }

    /** Returns the known keys after a change has failed. */
    static Known after(Throwable failure, Known before) {
        return Causes.of(failure) instanceof PartlyDone partly ? partly.after : before;
    }

    /** Converts a failure for callers; {@link RefusedException} and {@link KeyringException} stay unchanged. */
    static RuntimeException refusal(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof PartlyDone partly) {
            return partly.refusal;
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

    /** Asks the guard. A failure of its foreign code counts as an open swap, because there may be one; no forced replacement overrides that. */
    private static List<EvmKeyGuard.Objection> objections(EvmKeyGuard guard, EvmAddress address) {
        try {
            return Flows.join(guard.objections(address));
        } catch (RuntimeException e) {
            return List.of(new EvmKeyGuard.Objection.OpenSwap("whether it is still needed could not be checked: "
                    + KeyringFailures.of(e).getMessage()));
        }
    }

    /** Policy for replacing the current account-chain key, which is then kept, sealed, under its address (swap.md, section 5). */
    public sealed interface EvmReplacement {
        /** Never replaces: refuses when a key is present, and names the option {@code way} that allows it. */
        record Never(String way) implements EvmReplacement {}

        /** Replaces when the guard does not object. */
        record Guarded(EvmKeyGuard guard) implements EvmReplacement {}

        /** Replaces whatever the key holds, unless a swap is open. */
        record Forced(EvmKeyGuard guard) implements EvmReplacement {}

        /** Returns the guard; empty for {@link Never}. */
        default Optional<EvmKeyGuard> asked() {
            if (this instanceof Guarded guarded) {
                return Optional.of(guarded.guard());
            }
            return this instanceof Forced forced ? Optional.of(forced.guard()) : Optional.empty();
        }
    }
}
