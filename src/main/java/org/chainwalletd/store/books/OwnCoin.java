package org.chainwalletd.store.books;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;

/**
 * An output that pays a watched address, read from the bytes of its transaction.
 *
 * @param height of its block
 */
public record OwnCoin(Outpoint outpoint, Address address, Amount value, long height, boolean coinbase) {}
