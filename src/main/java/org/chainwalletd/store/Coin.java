package org.chainwalletd.store;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;

/** An output that a spend consumes, with the value that the node reported for it. */
public record Coin(Outpoint outpoint, Amount value) {}
