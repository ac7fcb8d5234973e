package org.chainwalletd.swap.gates;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * An HTLC of the chain that could be the pool's lock of a buy, as our own books and bytes of a proved id say.
 *
 * @param datum whether the output carries a datum or the hash of one: whoever spends it would have to supply what we may not have
 * @param spent whether our books have a spend of it, or a mempool a claim that opens it
 * @param place its block
 * @param minedAt time of its block, Unix seconds
 */
public record PoolHtlc(
        Outpoint outpoint,
        HtlcParams params,
        Amount amount,
        boolean datum,
        boolean spent,
        BlockPlace place,
        long minedAt) {}
