package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * @param to empty when it creates a contract
 * @param block empty while it is in no block
 */
public record AccountTransaction(
        Hash256 hash,
        EvmAddress from,
        Optional<EvmAddress> to,
        long nonce,
        BigInteger value,
        Bytes input,
        Optional<Place> block) {
    /** A block that it is in. */
    public record Place(long number, Hash256 hash) {}
}
