package org.chainwalletd.spend;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/** One recipient of a transfer. */
public record Payment(Address to, Amount amount) {}
