package org.chainwalletd.swap.gates;

import java.util.Optional;

/**
 * Observation of both chains at one look.
 *
 * @param ownLock empty when its chain could not be looked at, which proves nothing
 * @param poolLock the same
 * @param secretShown whether a claim of either lock is in our journal, a mempool or a block
 */
public record ChainObservation(Optional<OwnLock> ownLock, Optional<PoolLock> poolLock, boolean secretShown) {
    public static final ChainObservation NOTHING = new ChainObservation(Optional.empty(), Optional.empty(), false);
}
