package org.chainwalletd.rpc.method.htlc;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.rpc.method.spend.SpendOptions;
import org.chainwalletd.spend.TransferRequest;
import org.chainwalletd.wire.Doc;

/** What a lock and its simulation are told alike (interface.md, section 4.8). */
record LockParams(
        @Doc("sender's address, a key of this daemon: funds the lock and may reclaim it")
        Address from,

        @Doc("receiver's public key, not its address") PublicKey receiver,

        @Doc("SHA-256 of the preimage") Hash256 hashLock,

        @Doc("absolute block height above which the sender may reclaim; one that has passed is accepted")
        long timeout,

        @Doc("base units, at least 200") Amount amount,

        @Doc("base units per 100 cost units; 1 is the consensus minimum and the default")
        OptionalLong feeRate,

        @Doc("absolute fee in base units; raised to the consensus minimum")
        Optional<Amount> fee,

        @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee) {
    LockRequest request(Optional<String> clientToken) {
        return new LockRequest(
                from,
                receiver,
                hashLock,
                timeout,
                amount,
                SpendOptions.fee(feeRate, fee),
                maxFee.orElse(TransferRequest.DEFAULT_MAX_FEE),
                SpendOptions.token(clientToken));
    }
}
