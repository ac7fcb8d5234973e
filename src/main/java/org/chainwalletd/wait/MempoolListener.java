package org.chainwalletd.wait;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;

/** Receives transactions found in mempools, possibly more than once. Must not block. */
public interface MempoolListener {
    /** @param txId computed from the bytes */
    void seen(Hash256 txId, Transaction tx);
}
