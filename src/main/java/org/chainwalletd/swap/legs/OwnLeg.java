package org.chainwalletd.swap.legs;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * The chain on which our own lock stands: the chain in a sell, the account chain in a buy. Every stage fails when that chain could not be
 * asked, which proves nothing about it; stages are completed on the daemon's own threads.
 */
public interface OwnLeg {
    /**
     * @param refundDue whether the lock can be taken back, by this chain's own clock
     * @param secretShown whether a claim of it, with the secret, is in a mempool or a block
     */
    record View(OwnLock lock, boolean refundDue, boolean secretShown) {}

    CompletionStage<View> look(SwapRow row);

    /** What speaks, on this chain, against locking at this moment; empty when nothing does. */
    CompletionStage<Optional<String>> obstacle(SwapRow row);

    /** Sends our lock, the same bytes each time; completes with its transaction id. */
    CompletionStage<String> sendLock(SwapRow row);

    /** Spends to ourselves what our lock would spend, once, when no block has it. Either may be mined. */
    CompletionStage<Void> abandonLock(SwapRow row);

    /** Takes our lock back; completes with the transaction id. */
    CompletionStage<String> takeBack(SwapRow row);
}
