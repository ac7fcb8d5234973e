package org.chainwalletd.rpc.method.htlc;

import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.HtlcRecord;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** One HTLC (interface.md, section 2.8). */
public record RecordView(
        Hash256 lockTxId,
        @U32 long outputIndex,
        Params params,
        Amount amount,

        @Doc("null while the lock is in no block") @OrNull Long lockBlockHeight,

        HtlcRecord.State state,

        @Doc("null while nobody has claimed it; also a claim that is in no block yet, whose preimage is public") @OrNull
        Claim claim,

        @Doc("null while it was not taken back") @OrNull Reclaim reclaim,

        @Doc(
                "which party the keys of this daemon are; `observer`: only an indexer says that this HTLC exists, do not rest a payment on it")
        HtlcRecord.Role role,

        @Doc("of the followed tip") long lastIndexedHeight) {
    record Params(
            @Doc("public key") PublicKey sender,
            @Doc("public key") PublicKey receiver,
            Hash256 hashLock,
            long timeoutHeight) {}

    record Claim(
            Hash256 txId,
            Bytes preimage,

            @Doc("null while it is in no block") @OrNull Long blockHeight,

            @U32 long inputIndex) {}

    record Reclaim(
            Hash256 txId,

            @Doc("null while it is in no block") @OrNull Long blockHeight,

            @U32 long inputIndex) {}

    public static RecordView of(HtlcRecord found) {
        return new RecordView(
                found.lock().txId(),
                found.lock().index(),
                new Params(
                        found.params().sender(),
                        found.params().receiver(),
                        found.params().hashLock(),
                        found.params().timeoutHeight()),
                found.amount(),
                orNull(found.lockHeight()),
                found.state(),
                found.claim()
                        .map(claim -> new Claim(claim.txId(), claim.preimage(), orNull(claim.height()), claim.input()))
                        .orElse(null),
                found.reclaim()
                        .map(reclaim -> new Reclaim(reclaim.txId(), orNull(reclaim.height()), reclaim.input()))
                        .orElse(null),
                found.role(),
                found.lastIndexedHeight());
    }

    private static Long orNull(OptionalLong height) {
        return height.isPresent() ? height.getAsLong() : null;
    }
}
