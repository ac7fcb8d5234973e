package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * Listener that must know which keys there are, such as the follower of the chain. Called on the Keyring actor's thread, in the
 * order in which the changes became durable: must neither block nor throw.
 */
public interface KeyEvents {
    /**
     * Keys that are durable, and known to nobody outside yet: the calls that brought them are answered when the stage is complete. When it fails
     * they are answered with an error that says so; the keys are there all the same.
     */
    CompletionStage<Void> added(List<OwnKey> keys);

    /** Keys whose public keys became known. */
    void learnt(List<OwnKey> keys);

    /** Keys that are gone for good. */
    void removed(Set<Address> addresses);

    /**
     * A key of this keyring for those who keep books of what happens to it on the chain.
     *
     * @param publicKey empty as long as it is not known, which can only be for a key that another implementation wrote
     * @param birth no block below this height, u64, can pay the key; empty when it may be of any age
     */
    record OwnKey(Address address, Optional<PublicKey> publicKey, OptionalLong birth) {}
}
