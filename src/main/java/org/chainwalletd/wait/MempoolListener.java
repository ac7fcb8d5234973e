package org.chainwalletd.wait;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;

/** Hears of transactions that were found in mempools, some of them more than once. Must not block. */
public interface MempoolListener {
    /** @param txId computed from the bytes */
    void seen(Hash256 txId, Transaction tx);
}
