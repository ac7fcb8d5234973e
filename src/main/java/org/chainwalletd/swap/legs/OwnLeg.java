package org.chainwalletd.swap.legs;

import java.util.Optional;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * The chain on which our own lock stands: the chain in a sell, the account chain in a buy. Every method blocks, and throws when that
 * chain could not be asked, which proves nothing about it.
 */
public interface OwnLeg {
    /**
     * @param refundDue whether the lock can be taken back, by this chain's own clock
     * @param secretShown whether a claim of it, with the secret, is in a mempool or a block
     */
    record View(OwnLock lock, boolean refundDue, boolean secretShown) {}

    View look(SwapRow row);

    /** Objection, on this chain, to locking at this moment; empty when there is none. */
    Optional<String> obstacle(SwapRow row);

    /** Sends our lock, the same bytes each time; answers with its transaction id. */
    String sendLock(SwapRow row);

    /** Spends to ourselves what our lock would spend, once, when no block has it. Either may be mined. */
    void abandonLock(SwapRow row);

    /** Takes our lock back; answers with the transaction id. */
    String takeBack(SwapRow row);
}
