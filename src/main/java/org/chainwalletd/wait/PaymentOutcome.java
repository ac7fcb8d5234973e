package org.chainwalletd.wait;

import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** Outcome of a wait for a payment. */
public sealed interface PaymentOutcome {
    /**
     * @param txId empty when only an increased balance was seen
     * @param amount total that the transaction pays to the address
     * @param confirmations 0 while it is in the mempool
     * @param tipHeight unsigned
     * @param waitedSeconds whole seconds since the wait began
     */
    record Received(Optional<Hash256> txId, Amount amount, long confirmations, long tipHeight, long waitedSeconds)
            implements PaymentOutcome {}

    /**
     * @param waitedSeconds whole seconds since the wait began
     */
    record TimedOut(long waitedSeconds) implements PaymentOutcome {}
}
