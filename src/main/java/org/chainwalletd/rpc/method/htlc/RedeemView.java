package org.chainwalletd.rpc.method.htlc;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** What a claim and a reclaim answer alike (interface.md, section 4.8). */
record RedeemView(
        Hash256 txId,
        @Doc("`claim` or `reclaim`") String kind,
        @Doc("what was locked less the fee, paid to `from`") Amount value,
        Amount fee,
        Hash256 lockTxId,
        @U32 long outputIndex,
        long size) {
    static RedeemView of(String kind, Outpoint lock, Receipt receipt) {
        return new RedeemView(
                receipt.txId(),
                kind,
                receipt.outputs().get(0).output().value(),
                receipt.fee(),
                lock.txId(),
                lock.index(),
                receipt.size());
    }
}
