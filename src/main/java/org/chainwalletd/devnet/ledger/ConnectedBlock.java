package org.chainwalletd.devnet.ledger;

import java.util.List;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Hash256;

/**
 * A block that is or was part of the best chain, with the data needed to disconnect it.
 *
 * @param txIds in the order of the block
 * @param spent the outputs it consumed, in the order of consumption
 */
public record ConnectedBlock(Block block, Hash256 id, List<Hash256> txIds, List<Coin> spent) {
    public long height() {
        return block.header().height();
    }

    public long timestamp() {
        return block.header().timestamp();
    }
}
