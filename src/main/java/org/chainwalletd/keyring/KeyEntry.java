package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * The public side of one key.
 *
 * @param index derivation index of a legacy HD key, empty for a 1:1 key
 * @param imported true for every 1:1 key (standard, independent, imported)
 */
public record KeyEntry(
        Address address, PublicKey publicKey, OptionalLong index, Optional<String> label, boolean imported) {}
