package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * Listener for changes of the set of keys, such as the follower of the chain. Called on the Keyring actor's thread, in the order in which
 * the changes became durable; must neither block nor throw.
 */
public interface KeyEvents {
    /**
     * Called when new keys are durable but not yet returned to any caller: the calls that added them are answered when the stage completes.
     * If it fails, they are answered with an error that says so; the keys remain in the keyring.
     */
    CompletionStage<Void> added(List<OwnKey> keys);

    /** Called when public keys have become known. */
    void learnt(List<OwnKey> keys);

    /** Called when keys have been removed permanently. */
    void removed(Set<Address> addresses);

    /**
     * Key of this keyring, for components that keep books of its activity on the chain.
     *
     * @param publicKey empty while unknown, which is possible only for a key written by another implementation
     * @param birth no block below this height, u64, can pay the key; empty when its age is unknown
     */
    record OwnKey(Address address, Optional<PublicKey> publicKey, OptionalLong birth) {}
}
