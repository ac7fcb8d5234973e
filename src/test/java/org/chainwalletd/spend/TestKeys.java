package org.chainwalletd.spend;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;

/** A keyring of numbered keys that are not sealed. */
final class TestKeys implements Signer {
    private record Key(byte[] seed, PublicKey publicKey) {}

    private final ChainProfile profile;
    private final Map<Address, Key> keys = new ConcurrentHashMap<>();
    /** Addresses whose keys are there and do not open. */
    final Set<Address> locked = ConcurrentHashMap.newKeySet();

    TestKeys(ChainProfile profile) {
        this.profile = profile;
    }

    Address add(int number) {
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) number);
        PublicKey publicKey = PublicKey.of(Ed25519.publicKey(seed));
        Address address = profile.addressOf(publicKey);
        keys.put(address, new Key(seed, publicKey));
        return address;
    }

    /** A payment that somebody else makes with the same key. */
    Transaction spend(Address from, Hash256 genesis, Outpoint coin, TxOutput output) {
        Transaction unsigned = Transaction.unsigned(java.util.List.of(coin), java.util.List.of(output));
        Signature signature = signature(from, TransactionCodec.signingMessage(profile, genesis, unsigned));
        return unsigned.withWitnesses(java.util.List.of(Witness.plain(signature.publicKey(), signature.bytes())));
    }

    private Signature signature(Address address, byte[] message) {
        Key key = keys.get(address);
        return new Signature(
                key.publicKey(), Ed25519.sign(key.seed(), key.publicKey().toArray(), message));
    }

    @Override
    public CompletionStage<Optional<KeyEntry>> find(Address address) {
        return CompletableFuture.completedFuture(Optional.ofNullable(keys.get(address))
                .map(key -> new KeyEntry(
                        address, Optional.of(key.publicKey()), OptionalLong.empty(), Optional.empty(), true)));
    }

    @Override
    public Optional<Signature> signAtHand(Address address, byte[] message) {
        return isAtHand(address) ? Optional.of(signature(address, message)) : Optional.empty();
    }

    @Override
    public boolean isAtHand(Address address) {
        return keys.containsKey(address) && !locked.contains(address);
    }

    @Override
    public CompletionStage<Signature> sign(Address address, byte[] message) {
        if (locked.contains(address)) {
            return CompletableFuture.failedFuture(
                    new KeyringException(KeyringException.Reason.LOCKED, "the key of " + address + " does not open"));
        }
        return keys.containsKey(address)
                ? CompletableFuture.completedFuture(signature(address, message))
                : CompletableFuture.failedFuture(
                        new KeyringException(KeyringException.Reason.UNKNOWN_ADDRESS, "no key " + address));
    }
}
