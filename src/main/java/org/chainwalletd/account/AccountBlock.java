package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * Head of a block.
 *
 * @param timestamp Unix seconds
 * @param baseFee in wei per gas; empty on a chain that does not know transactions of type 2
 */
public record AccountBlock(
        long number, Hash256 hash, Hash256 parent, long timestamp, Optional<BigInteger> baseFee, long gasLimit) {}
