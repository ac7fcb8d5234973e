package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;

/**
 * Where keys come into being: each is durable first, then watched on the chain, and only then does its caller hear of it. A crash between leaves a
 * key that nobody was told of; the next start watches it. What is drawn here is new to the world; what comes from elsewhere, or from a seed
 * that may have been used elsewhere, may have coins.
 */
public final class NewKeys {
    private final Keyring keyring;
    private final CoinLedger ledger;
    private final Executor executor;

    public NewKeys(Keyring keyring, CoinLedger ledger, Executor executor) {
        this.keyring = keyring;
        this.ledger = ledger;
        this.executor = executor;
    }

    /** None for a caller who has left. */
    CompletionStage<KeyEntry> generateStandard(Optional<String> label, CallContext caller) {
        return fresh(keyring.generateStandard(label, caller::hasLeft));
    }

    /** None for a caller who has left. */
    CompletionStage<KeyEntry> generateIndependent(Optional<String> label, CallContext caller) {
        return fresh(keyring.generateIndependent(label, caller::hasLeft));
    }

    /**
     * Keys that may have a history.
     *
     * @param rescanBlocksLeft read until it is known; empty when nothing is being read
     */
    record Brought<T>(T key, Optional<Long> rescanBlocksLeft) {}

    CompletionStage<Brought<KeyEntry>> deriveNext(Optional<String> label) {
        return old(keyring.deriveNext(label));
    }

    CompletionStage<Brought<KeyEntry>> importSecret(SecretBytes secretHex, Optional<String> label) {
        return old(keyring.importSecret(secretHex, label));
    }

    CompletionStage<Brought<KeyEntry>> importIndependent(SecretBytes words, Optional<String> label) {
        return old(keyring.importIndependent(words, label));
    }

    CompletionStage<Brought<KeyEntry>> importStandard(SecretBytes words, Optional<String> label) {
        return old(keyring.importStandard(words, label));
    }

    CompletionStage<Brought<List<Address>>> importVault(Bytes vault, SecretBytes passphrase) {
        return keyring.importVault(vault, passphrase)
                .thenComposeAsync(addresses -> watched(addresses, addresses), executor);
    }

    private CompletionStage<KeyEntry> fresh(CompletionStage<KeyEntry> key) {
        return key.thenComposeAsync(
                entry -> ledger.watchFresh(entry.address()).thenApplyAsync(watched -> entry, executor), executor);
    }

    private CompletionStage<Brought<KeyEntry>> old(CompletionStage<KeyEntry> key) {
        return key.thenComposeAsync(entry -> watched(entry, List.of(entry.address())), executor);
    }

    private <T> CompletionStage<Brought<T>> watched(T key, List<Address> addresses) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(new Brought<>(key, Optional.empty()));
        }
        return ledger.watchOld(addresses)
                .thenApplyAsync(left -> new Brought<>(key, left.stream().boxed().findFirst()), executor);
    }
}
