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

/** A keyring of given secrets that are not sealed: for vectors with known seeds. */
public final class PlainKeys implements Signer {
    private record Key(byte[] seed, PublicKey publicKey) {}

    private final ChainProfile chain;
    private final Map<Address, Key> keys = new ConcurrentHashMap<>();

    public PlainKeys(ChainProfile chain) {
        this.chain = chain;
    }

    /** Holds the key of {@code seed}, 32 bytes, from now on; its address. */
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
        Key key = keys.get(address);
        if (key == null) {
            return CompletableFuture.failedFuture(
                    new KeyringException(KeyringException.Reason.UNKNOWN_ADDRESS, "no key " + address));
        }
        byte[] made = Ed25519.sign(key.seed(), key.publicKey().toArray(), message);
        return CompletableFuture.completedFuture(new Signature(key.publicKey(), made));
    }
}
