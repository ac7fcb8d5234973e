package org.chainwalletd.store.books;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** What a block does to the ledger of own coins. */
public sealed interface LedgerChange {
    /** It makes a coin. */
    record Created(OwnCoin coin) implements LedgerChange {}

    /** It spends an output, which may be nobody's that is watched. */
    record Spent(Outpoint outpoint, long height, Hash256 spentBy) implements LedgerChange {}
}
