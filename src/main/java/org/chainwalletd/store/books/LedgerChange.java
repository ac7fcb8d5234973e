package org.chainwalletd.store.books;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** A change of the ledger by a block. */
public sealed interface LedgerChange {
    record Created(OwnCoin coin) implements LedgerChange {}

    /** The block spends an output, which need not belong to a watched address. */
    record Spent(Outpoint outpoint, long height, Hash256 spentBy) implements LedgerChange {}
}
