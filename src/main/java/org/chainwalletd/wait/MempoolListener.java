package org.chainwalletd.wait;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;

/** Receives transactions that were found in mempools, some of them repeatedly. Must not block. */
public interface MempoolListener {
    /** @param txId computed from the bytes */
    void seen(Hash256 txId, Transaction tx);
}
