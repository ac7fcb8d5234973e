package org.chainwalletd.testkit;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;

/** Unsealed keyring of given secrets, for vectors with known seeds. */
public class PlainKeys implements Signer {
    private record Key(byte[] seed, PublicKey publicKey) {}

    private final ChainProfile chain;
    private final Map<Address, Key> keys = new ConcurrentHashMap<>();

    public PlainKeys(ChainProfile chain) {
        this.chain = chain;
    }

    /** Adds the key of {@code seed}, 32 bytes, and returns its address. */
    public Address add(byte[] seed) {
        PublicKey publicKey = PublicKey.of(Ed25519.publicKey(seed));
        Address address = chain.addressOf(publicKey);
        keys.put(address, new Key(seed.clone(), publicKey));
        return address;
    }

    @Override
    public CompletionStage<Optional<KeyEntry>> find(Address address) {
        return CompletableFuture.completedFuture(Optional.ofNullable(keys.get(address))
                .map(key -> new KeyEntry(
                        address, Optional.of(key.publicKey()), OptionalLong.empty(), Optional.empty(), true)));
    }

    @Override
    public CompletionStage<Signature> sign(Address address, byte[] message) {
        return keys.containsKey(address)
                ? CompletableFuture.completedFuture(signature(address, message))
                : CompletableFuture.failedFuture(
                        new KeyringException(KeyringException.Reason.UNKNOWN_ADDRESS, "no key " + address));
    }

    protected final boolean has(Address address) {
        return keys.containsKey(address);
    }

    protected final Signature signature(Address address, byte[] message) {
        Key key = keys.get(address);
        return new Signature(
                key.publicKey(), Ed25519.sign(key.seed(), key.publicKey().toArray(), message));
    }
}
