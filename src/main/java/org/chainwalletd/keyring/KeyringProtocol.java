package org.chainwalletd.keyring;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.store.EvmKeyRecord;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringNews;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Protocol of the Keyring actor: first the questions of the keyring's callers, then the messages of its own parts. Kept apart from the
 * actor so that neither callers nor parts depend on it.
 */
final class KeyringProtocol {
    private KeyringProtocol() {}

    /** Message to the Keyring actor. Futures in messages fail with {@link KeyringException}. */
    public sealed interface Command {}

    /** Command with a reply. */
    sealed interface Question extends Command {
        CompletableFuture<?> reply();

        default void refuse(KeyringException refusal) {
            reply().completeExceptionally(refusal);
        }
    }

    /** @param withPublicKey whether to unseal a key written by another implementation once, to learn its public key */
    record Find(Address address, boolean withPublicKey, CompletableFuture<Optional<KeyEntry>> reply)
            implements Question {}

    /** @param message must not be modified before the reply */
    record Sign(Address address, byte[] message, CompletableFuture<Signer.Signature> reply) implements Question {}

    /** New 1:1 keys, which become durable together. */
    sealed interface Arriving extends Question {
        /** Crash point between the writing of the sealed files and the record. */
        CrashPoint before();

        /** Whether keys that are present already are left out. */
        default boolean skipPresent() {
            return false;
        }

        /** Completes the reply with the new entries in the given order. */
        void answer(List<KeyEntry> entries);
    }

    /**
     * Generates a new key.
     *
     * @param drawn makes the key, on an Argon2id thread
     * @param standard whether a key of the pool may be used instead
     * @param birth also applies to a pool key: until now its address was unknown outside this process
     * @param abandoned whether the caller has stopped waiting, so that an unsealed key need not be sealed; called on any thread
     */
    record Mint(
            Supplier<NewKey> drawn,
            boolean standard,
            Optional<String> label,
            OptionalLong birth,
            BooleanSupplier abandoned,
            CompletableFuture<KeyEntry> reply)
            implements Arriving {
        @Override
        public CrashPoint before() {
            return CrashPoint.MINT_BEFORE_STATE;
        }

        @Override
        public void answer(List<KeyEntry> entries) {
            reply.complete(entries.get(0));
        }
    }

    /**
     * Adds imported 1:1 keys; their secrets are overwritten once sealed.
     *
     * @param skipPresent whether keys that are present already are left out; otherwise one such key refuses all
     * @param abandoned whether the caller has stopped waiting; does not matter once the first key is sealed
     */
    record Store(
            List<NewKey> keys,
            boolean skipPresent,
            CrashPoint before,
            BooleanSupplier abandoned,
            CompletableFuture<List<KeyEntry>> reply)
            implements Arriving {
        @Override
        public void answer(List<KeyEntry> entries) {
            reply.complete(entries);
        }

        /** Overwrites the secrets and fails the reply. */
        @Override
        public void refuse(KeyringException refusal) {
            keys.forEach(NewKey::close);
            reply.completeExceptionally(refusal);
        }
    }

    /** @param abandoned whether the caller has stopped waiting; does not matter once the key's batch has begun */
    record Derive(Optional<String> label, BooleanSupplier abandoned, CompletableFuture<KeyEntry> reply)
            implements Question {}

    /** @param label empty removes the label */
    record SetLabel(Address address, Optional<String> label, CompletableFuture<Optional<String>> reply)
            implements Question {}

    /** @param guard asked before anything is removed; empty for none */
    record Delete(Address address, Optional<DeletionGuard> guard, CompletableFuture<Address> reply)
            implements Question {}

    /** Makes another account-chain key, or none, the current one. */
    record RecordEvmKey(CrashPoint before, KeyTable.Change.EvmKeyChange change, CompletableFuture<Void> reply)
            implements Question {}

    /** Registers the follower that is called when another daemon has changed the account-chain keys. */
    record FollowEvmKeys(EvmFollower follower) implements Command {}

    /** Calls the follower with the account-chain keys that the store holds now. */
    record TellEvmKeys() implements Command {}

    /** Called after changes of the account-chain keys by other daemons; must not block. */
    @FunctionalInterface
    interface EvmFollower {
        /**
         * Takes over the store's state.
         *
         * @param own record of the current key, unless that is the seed's key
         * @param kept addresses of the keys that have their own sealed blob
         */
        void follow(Optional<EvmKeyRecord> own, Set<EvmAddress> kept);
    }

    /** Returns the keys; the listener is called for every change after them. */
    record Watch(Optional<KeyEvents> listener, CompletableFuture<List<OwnKey>> reply) implements Question {}

    /** Sets the number of keys to seal in advance. */
    record KeepPool(int size, Executor executor) implements Command {}

    /** Asks for the material of an export. */
    record Lend(CompletableFuture<Lent> reply) implements Question {}

    /**
     * @param keys unsealed keys; may be closed at any time
     * @param passphrase of the keystore; the receiver closes it
     */
    record Lent(Map<Address, SigningKey> keys, SecretBytes passphrase) {}

    /**
     * Overwrites all unsealed secrets and refuses every later question. Answered when all additions and removals in progress have ended and
     * no write runs any more.
     *
     * @param evmKeys completes when the account-chain keys have nothing left to record
     */
    record Close(CompletableFuture<Void> evmKeys, CompletableFuture<Void> reply) implements Command {}

    record EvmKeysClosed() implements Command {}

    record Opened(Outcome<KeyringStore.Listing> loaded) implements Command {}

    /**
     * @param announced addresses that were known before their keys were sealed
     * @param stretched whether sealing took an Argon2id
     */
    record Stored(Arriving question, Set<Address> announced, boolean stretched, Outcome<List<StoredKey>> keys)
            implements Command {}

    /** Public part of a key whose sealed files are durable. */
    record StoredKey(KeyEntry entry, KeyNote note) {}

    /** Periodic message, first sent some time after the start, for maintenance that no caller waits for. */
    record Tend() implements Command {}

    record SeedUnsealed(Outcome<SecretBytes> seed) implements Command {}

    record Unsealed(Address address, Outcome<SecretBytes> secret) implements Command {}

    /** @param there whether the shared keyring holds the key now */
    record Listed(Sign question, Outcome<Boolean> there) implements Command {}

    record Derived(List<Derive> questions, Outcome<List<KeyEntry>> entries) implements Command {}

    record Learnt(Outcome<List<KeyEntry>> entries) implements Command {}

    record Objected(Delete question, Outcome<Optional<String>> objection) implements Command {}

    record FilesRemoved(Delete question, Outcome<Void> removal) implements Command {}

    record Pooled(Outcome<KeyringStore.SealedKey> key) implements Command {}

    /** Another daemon has changed the shared keyring, or reading its changes failed and must be retried. */
    record OthersChanged() implements Command {}

    record NewsRead(Outcome<KeyringNews> news) implements Command {}

    record Written(KeyTable.Batch batch, Outcome<Void> written) implements Command {}

    /** All listeners that had to be informed of the batch's new keys have been. */
    record Told(KeyTable.Batch batch, Outcome<Void> heard) implements Command {}
}
