package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.wire.Doc;

/** BlockSummary (interface.md, section 2.4) with the id under both names (decisions.md, section 2). */
record BlockView(
        Hash256 blockId,
        @Doc("The same as block_id") Hash256 hash,
        long height,
        Hash256 prevBlockId,
        Hash256 stateRoot,
        Hash256 txRoot,
        @Doc("Unix seconds") long timestamp,
        long nonce,
        Hash256 difficultyTarget,
        long txCount,
        @Doc("Transaction ids in block order") List<Hash256> transactions) {
    static BlockView at(long height, Optional<NodeClient.BlockSummary> found) {
        return of(found.orElseThrow(() -> NodeErrors.notFound("No block at height " + U64.toString(height))));
    }

    static BlockView byId(Optional<NodeClient.BlockSummary> found) {
        return of(found.orElseThrow(() -> NodeErrors.notFound("Block not found")));
    }

    private static BlockView of(NodeClient.BlockSummary block) {
        return new BlockView(
                block.blockId(),
                block.blockId(),
                block.height(),
                block.previousBlockId(),
                block.stateRoot(),
                block.txRoot(),
                block.timestamp(),
                block.nonce(),
                block.difficultyTarget(),
                block.txCount(),
                block.transactions());
    }
}
