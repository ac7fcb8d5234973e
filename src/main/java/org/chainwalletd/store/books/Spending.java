package org.chainwalletd.store.books;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * An input of a transaction in a block.
 *
 * @param outpoint what it spends
 * @param by the transaction that it is of
 * @param place of that transaction's block
 */
public record Spending(Outpoint outpoint, Hash256 by, BlockPlace place) {}
