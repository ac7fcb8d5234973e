package org.chainwalletd.swap.legs;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.PoolLock;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * The chain on which the pool's lock stands and we claim: the account chain in a sell, the chain in a buy. Every method blocks, and throws
 * when that chain could not be asked, which proves nothing about it.
 */
public interface PoolLeg {
    /** @param secretShown whether a claim of it, with the secret, is journalled, in a mempool or in a block */
    record View(PoolLock lock, boolean secretShown) {}

    View look(SwapRow row);

    /** Objection, on this chain, to locking on the other one at this moment; empty when there is none. */
    Optional<String> obstacle(SwapRow row);

    /** Whether the secret may leave for the first time. */
    GateVerdict gate(SwapRow row, GateInputs now);

    /** As {@link Legs#pushClaim}. */
    String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin);
}
