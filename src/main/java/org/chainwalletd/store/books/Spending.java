package org.chainwalletd.store.books;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * An input of a transaction in a block.
 *
 * @param outpoint that it spends
 * @param by transaction that contains the input
 * @param place block of that transaction
 */
public record Spending(Outpoint outpoint, Hash256 by, BlockPlace place) {}
