package org.chainwalletd.follow;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;

/**
 * A transaction of a followed block.
 *
 * @param id computed here from the bytes; of a transaction that cannot be decoded, as the block's list names it
 * @param decoded empty when the bytes are of the block, by its root, and yet make no transaction that this release can read
 * @param coinbase whether it is the first of its block
 */
public record ChainTransaction(Hash256 id, Optional<Transaction> decoded, boolean coinbase) {}
