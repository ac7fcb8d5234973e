package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.Hash256;

/**
 * The last block of the best chain.
 *
 * @param timestamp Unix seconds
 */
public record Tip(long height, Hash256 id, long timestamp) {}
