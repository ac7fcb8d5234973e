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
 * Protocol of the Keyring actor: the questions of the keyring first, then what its own parts tell it. Below both, so that neither needs to
 * know the actor.
 */
final class KeyringProtocol {
    private KeyringProtocol() {}

    /** Question to the keyring. Futures in messages fail with {@link KeyringException}. */
    public sealed interface Command {}

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

    /** New 1:1 keys, which become durable together. */
    sealed interface Arriving extends Question {
        /** The place where a test kills the process when the sealed files are there and the record is not. */
        CrashPoint before();

        /** Tells whether keys that are there already are left out. */
        default boolean skipPresent() {
            return false;
        }

        /** Completes the reply with the new entries in the given order. */
        void answer(List<KeyEntry> entries);
    }

    /**
     * Makes a key that nobody has yet.
     *
     * @param drawn makes it, on a thread for Argon2id
     * @param standard whether one of the pool may be given out instead
     * @param birth for one of the pool: until now nobody outside this process had heard of it
     * @param abandoned whether nobody waits for the answer any more, so that what is not sealed yet need not be; asked on any thread
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
     * Takes 1:1 keys in; their secrets are overwritten when they are sealed.
     *
     * @param skipPresent whether keys that are there already are left out; otherwise one such key refuses all
     */
    record Store(List<NewKey> keys, boolean skipPresent, CrashPoint before, CompletableFuture<List<KeyEntry>> reply)
            implements Arriving {
        @Override
        public void answer(List<KeyEntry> entries) {
            reply.complete(entries);
        }

        /** Overwrites the secrets. */
        @Override
        public void refuse(KeyringException refusal) {
            keys.forEach(NewKey::close);
            reply.completeExceptionally(refusal);
        }
    }

    record Derive(Optional<String> label, CompletableFuture<KeyEntry> reply) implements Question {}

    /** @param label empty takes the label away */
    record SetLabel(Address address, Optional<String> label, CompletableFuture<Optional<String>> reply)
            implements Question {}

    /** @param guard asked before anything is removed; empty for none */
    record Delete(Address address, Optional<DeletionGuard> guard, CompletableFuture<Address> reply)
            implements Question {}

    /** Makes another account-chain key the current one, or none. */
    record RecordEvmKey(CrashPoint before, KeyTable.Change.EvmKeyChange change, CompletableFuture<Void> reply)
            implements Question {}

    /** The follower is told of the account-chain keys when another daemon has changed them. */
    record FollowEvmKeys(EvmFollower follower) implements Command {}

    /** The follower is told of the account-chain keys as they are in the store at this moment. */
    record TellEvmKeys() implements Command {}

    /** Is told of changes of the account-chain keys by other daemons; must not block. */
    @FunctionalInterface
    interface EvmFollower {
        /**
         * Takes over what the store has.
         *
         * @param own record of the current key, unless it is the seed's
         * @param kept addresses with a place of their own
         */
        void follow(Optional<EvmKeyRecord> own, Set<EvmAddress> kept);
    }

    /** The listener hears of every change after the keys that are answered. */
    record Watch(Optional<KeyEvents> listener, CompletableFuture<List<OwnKey>> reply) implements Question {}

    /** This many keys are to be sealed ahead of time. */
    record KeepPool(int size, Executor executor) implements Command {}

    /** Material of an export. */
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

    record EvmKeysClosed() implements Command {}

    record Opened(Outcome<KeyringStore.Listing> loaded) implements Command {}

    /**
     * @param announced addresses that were known before their keys were sealed
     * @param stretched whether it took an Argon2id
     */
    record Stored(Arriving question, Set<Address> announced, boolean stretched, Outcome<List<StoredKey>> keys)
            implements Command {}

    /** The public side of a key whose sealed files are durable. */
    record StoredKey(KeyEntry entry, KeyNote note) {}

    /** It is quiet after the start, or was a while: time for what nobody waits for. */
    record Tend() implements Command {}

    record SeedUnsealed(Outcome<SecretBytes> seed) implements Command {}

    record Unsealed(Address address, Outcome<SecretBytes> secret) implements Command {}

    /** @param there whether the shared keyring has the key at this moment */
    record Listed(Sign question, Outcome<Boolean> there) implements Command {}

    record Derived(List<Derive> questions, Outcome<List<KeyEntry>> entries) implements Command {}

    record Learnt(Outcome<List<KeyEntry>> entries) implements Command {}

    record Objected(Delete question, Outcome<Optional<String>> objection) implements Command {}

    record FilesRemoved(Delete question, Outcome<Void> removal) implements Command {}

    record Pooled(Outcome<KeyringStore.SealedKey> key) implements Command {}

    /** Another daemon has changed a shared keyring, or its changes could not be read a moment ago. */
    record OthersChanged() implements Command {}

    record NewsRead(Outcome<KeyringNews> news) implements Command {}

    record Written(KeyTable.Batch batch, Outcome<Void> written) implements Command {}

    /** Everybody who has to knows of the new keys of a batch. */
    record Told(KeyTable.Batch batch, Outcome<Void> heard) implements Command {}
}
