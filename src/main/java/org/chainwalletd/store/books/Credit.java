package org.chainwalletd.store.books;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * An output of a block that pays one of our addresses.
 *
 * @param position in its block: orders the credits of a block, the same whoever reads it
 * @param own whether every input is of our keys
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
        Optional<Bytes> datum) {}
