package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.TxOutput;

/**
 * Conduct of a pool at the points where it could break its promises. {@link #HONEST} never does; tests of the engine use pools that do.
 */
public interface PoolConduct {
    PoolConduct HONEST = new PoolConduct() {};

    /** Answer to a quote request, as sent. */
    default ObjectNode quote(ObjectNode honest) {
        return honest;
    }

    /** Called when a quote was made, before it is sent. */
    default void quoted(PoolSwap swap) {}

    /** Status answer of a swap, as sent. */
    default ObjectNode status(ObjectNode honest) {
        return honest;
    }

    /** Whether requests are answered at all. */
    default boolean answers() {
        return true;
    }

    /** Whether the pool locks now that the user's lock is deep enough. */
    default boolean locks(PoolSwap swap) {
        return true;
    }

    /** Amount that the pool locks in the contract, in wei. */
    default BigInteger lockedWei(PoolSwap swap, BigInteger honest) {
        return honest;
    }

    /** Deadline of the pool's lock in the contract, Unix seconds. */
    default long deadline(PoolSwap swap, long honest) {
        return honest;
    }

    /** Timeout height of the pool's lock on the chain. */
    default long timeoutHeight(PoolSwap swap, long honest) {
        return honest;
    }

    /** The outputs of the pool's lock on the chain, before its change. */
    default List<TxOutput> lockOutputs(PoolSwap swap, TxOutput honest) {
        return List.of(honest);
    }

    /** Whether the pool claims the user's lock now that it knows the secret. */
    default boolean claims(PoolSwap swap) {
        return true;
    }

    /** Answer instead of sending a claim that the user asked to be relayed; empty: it is sent. */
    default Optional<String> relayedInstead(PoolSwap swap) {
        return Optional.empty();
    }
}
