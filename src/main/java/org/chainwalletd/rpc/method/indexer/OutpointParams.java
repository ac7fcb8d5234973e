package org.chainwalletd.rpc.method.indexer;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

record OutpointParams(
        @Doc("Transaction that has the output") Hash256 txId,
        @U32 long outputIndex) {
    Outpoint outpoint() {
        return new Outpoint(txId, outputIndex);
    }
}
