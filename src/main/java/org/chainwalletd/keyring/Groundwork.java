package org.chainwalletd.keyring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;

/**
 * What a keyring is opened with.
 *
 * @param passphrase belongs to the Keyring actor as soon as there is one
 * @param loaded complete when the passphrase is proved and the files are read
 * @param atHand written by the actor alone; others only sign with what they find there, which may be closed at any time
 */
record Groundwork(
        KeyringSetup setup,
        SecretBytes passphrase,
        KeyringStore store,
        CompletableFuture<KeyringStore.Listing> loaded,
        ConcurrentMap<Address, SigningKey> atHand) {}
