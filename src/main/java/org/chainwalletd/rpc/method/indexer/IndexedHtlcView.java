package org.chainwalletd.rpc.method.indexer;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.indexer.IndexedHtlc;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** An HtlcRecord that came from an indexer (interface.md, section 2.8). */
record IndexedHtlcView(
        Hash256 lockTxId,
        @U32 long outputIndex,
        Params params,
        Amount amount,

        @Doc("null while the lock is in the mempool") @OrNull
        Long lockBlockHeight,

        IndexedHtlc.State state,
        @OrNull Claim claim,
        @OrNull Reclaim reclaim,
        Role role,
        long lastIndexedHeight) {

    enum Role {
        OBSERVER
    }

    record Params(PublicKey sender, PublicKey receiver, Hash256 hashLock, long timeoutHeight) {}

    record Claim(
            Hash256 txId,
            Bytes preimage,
            long blockHeight,
            @U32 long inputIndex) {}

    record Reclaim(Hash256 txId, long blockHeight, @U32 long inputIndex) {}

    static IndexedHtlcView of(IndexedHtlc htlc) {
        return new IndexedHtlcView(
                htlc.outpoint().txId(),
                htlc.outpoint().index(),
                new Params(
                        htlc.params().sender(),
                        htlc.params().receiver(),
                        htlc.params().hashLock(),
                        htlc.params().timeoutHeight()),
                htlc.amount(),
                htlc.lockHeight(),
                htlc.state(),
                htlc.claim() == null ? null : claim(htlc.claim()),
                htlc.reclaim() == null ? null : reclaim(htlc.reclaim()),
                Role.OBSERVER,
                htlc.lastIndexedHeight());
    }

    private static Claim claim(IndexedHtlc.Claim claim) {
        return new Claim(claim.txId(), claim.preimage(), claim.blockHeight(), claim.inputIndex());
    }

    private static Reclaim reclaim(IndexedHtlc.Reclaim reclaim) {
        return new Reclaim(reclaim.txId(), reclaim.blockHeight(), reclaim.inputIndex());
    }
}
