package org.chainwalletd.testkit.swap;

import java.math.BigInteger;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.evm.EvmAddress;

/** Whose money is at stake. */
public interface Trader extends AutoCloseable {
    /**
     * What was agreed with the pool.
     *
     * @param in units that the trader locks, {@code out} units that it is to get
     */
    record Deal(
            boolean sell,
            Hash256 hashLock,
            PublicKey key,
            Address address,
            EvmAddress evmAddress,
            BigInteger in,
            BigInteger out) {}

    /** Gets a quote and begins. Called once. */
    Deal begin(boolean sell, String amount);

    /** Does what is due; who acts by itself returns when it has nothing more to do. */
    void act();

    /** Ends without a word, and starts again from what is durable. */
    void crash();

    @Override
    void close();
}
