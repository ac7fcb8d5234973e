package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * A key of this keyring for those who keep books of what happens to it on the chain.
 *
 * @param publicKey empty as long as it is not known, which can only be for a key that another implementation wrote
 * @param birth no block below this height, u64, can pay the key; empty when it may be of any age
 */
public record OwnKey(Address address, Optional<PublicKey> publicKey, OptionalLong birth) {}
