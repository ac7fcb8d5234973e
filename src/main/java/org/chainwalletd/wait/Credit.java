package org.chainwalletd.wait;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.BlockPlace;

/**
 * A payment to an address that was seen.
 *
 * @param number in the order in which they were seen first
 * @param block null while it is in no block
 */
record Credit(long number, Amount amount, BlockPlace block) {
    Credit in(BlockPlace newBlock) {
        return new Credit(number, amount, newBlock);
    }
}
