package org.chainwalletd.store.books;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * An output that pays one of our addresses, in a confirmed or unconfirmed transaction.
 *
 * @param block {@link #nowhere} while unconfirmed
 * @param position in its block; gives the credits of a block the same order for every reader
 * @param own whether every input belongs to our keys, as a plain input or an HTLC that they redeem
 * @param change whether an input spends a coin of the same address
 */
public record Credit(
        Outpoint outpoint,
        Address address,
        Amount amount,
        BlockPlace block,
        long position,
        boolean own,
        boolean change,
        boolean coinbase,
        Optional<Bytes> datum) {
    private static final long NOWHERE = Long.MAX_VALUE;

    /** Returns the placeholder for the block of an unconfirmed transaction. */
    public static BlockPlace nowhere(Hash256 txId) {
        return new BlockPlace(NOWHERE, txId);
    }

    public boolean isInBlock() {
        return block.height() != NOWHERE;
    }
}
