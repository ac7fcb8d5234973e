package org.chainwalletd.testkit.evm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.evm.EvmKeys;

/** Unsealed account-chain keys; the one that was added last pays. */
public final class PlainEvmKeys implements EvmKeys {
    private final Map<EvmAddress, SecretBytes> keys = new LinkedHashMap<>();

    public synchronized EvmAddress add(SecretBytes secret) {
        EvmAddress address = EvmAddress.ofSecret(secret);
        keys.put(address, secret.duplicate());
        return address;
    }

    @Override
    public synchronized CompletionStage<Optional<EvmAddress>> current() {
        return CompletableFuture.completedFuture(keys.keySet().stream().reduce((first, second) -> second));
    }

    @Override
    public synchronized CompletionStage<List<EvmAddress>> kept() {
        List<EvmAddress> kept = new ArrayList<>(keys.keySet());
        Collections.reverse(kept);
        return CompletableFuture.completedFuture(kept);
    }

    @Override
    public synchronized CompletionStage<Secp256k1.Signature> sign(EvmAddress from, byte[] hash) {
        SecretBytes secret = keys.get(from);
        return secret == null
                ? CompletableFuture.failedFuture(new RefusedException(EvmKeyRefusal.notKept(from)))
                : CompletableFuture.completedFuture(secret.use(key -> Secp256k1.sign(key, hash)));
    }
}
