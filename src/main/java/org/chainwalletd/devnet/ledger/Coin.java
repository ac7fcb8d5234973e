package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;

/**
 * An unspent output.
 *
 * @param height of the block that created it
 */
public record Coin(Outpoint outpoint, TxOutput output, long height, boolean coinbase) {
    /** Whether a block at {@code spendingHeight} of such a network may spend it. */
    boolean isMatureAt(long spendingHeight, Network network) {
        return !coinbase || spendingHeight - height >= network.coinbaseMaturity();
    }
}
