package org.chainwalletd.node;

import java.io.IOException;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.Name;
import org.chainwalletd.wire.U32;

/** Readers for the results of node methods about the chain and its transactions (chain protocol, section 10.4). */
final class Answers {
    static final ResultReader<NodeClient.NodeInfo> INFO = RecordReader.ofNode(NodeClient.NodeInfo.class);

    private static final RecordReader<NodeClient.BlockSummary> BLOCK =
            RecordReader.ofNode(NodeClient.BlockSummary.class);
    private static final RecordReader<TransactionAnswer> TRANSACTION = RecordReader.ofNode(TransactionAnswer.class);
    private static final RecordReader<SpentByAnswer> SPENT_BY = RecordReader.ofNode(SpentByAnswer.class);
    private static final RecordReader<BroadcastAnswer> BROADCAST = RecordReader.ofNode(BroadcastAnswer.class);

    private Answers() {}

    private record TransactionAnswer(
            @MaybeAbsent Hash256 txId,
            @Name("tx_hex") Bytes bytes,
            boolean inMempool,
            @Name("block_hash") @MaybeAbsent Hash256 blockId,
            @MaybeAbsent Long blockHeight) {}

    private record SpentByAnswer(
            boolean spent,
            @MaybeAbsent Hash256 spendingTxId,
            @U32 @MaybeAbsent Long inputIndex,
            @MaybeAbsent Long blockHeight) {}

    private record BroadcastAnswer(Hash256 txId) {}

    /** Reads a tip. The genesis id is parsed separately: a malformed one is not a bad answer, but means a chain for which nothing may be signed. */
    static NodeClient.Tip tip(AnswerJson in) throws IOException {
        in.beginObject();
        Long height = null;
        Hash256 blockId = null;
        Hash256 genesis = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "height" -> height = in.u64(height);
                case "block_id" -> blockId = in.hash(blockId);
                case "genesis_block_id" -> genesis = in.genesis(genesis);
                default -> in.skip();
            }
        }
        return new NodeClient.Tip(in.required(height, "height"), in.required(blockId, "block_id"), genesis);
    }

    static ResultReader<NodeClient.BlockSummary> blockAt(long requested) {
        return in -> {
            NodeClient.BlockSummary block = block(in);
            if (block.height() != requested) {
                throw new NodeException.BadAnswer("node answered get_block with a block of another height");
            }
            return block;
        };
    }

    static ResultReader<NodeClient.BlockSummary> block(Hash256 requested) {
        return in -> {
            NodeClient.BlockSummary block = block(in);
            if (!block.blockId().equals(requested)) {
                throw new NodeException.BadAnswer("node answered get_block with another block");
            }
            return block;
        };
    }

    private static NodeClient.BlockSummary block(AnswerJson in) throws IOException {
        NodeClient.BlockSummary block = BLOCK.read(in);
        if (block.txCount() != block.transactions().size()) {
            throw new NodeException.BadAnswer("node answered get_block with a count that is not that of its list");
        }
        return block;
    }

    static ResultReader<NodeClient.NodeTransaction> transaction(Hash256 requested) {
        return in -> {
            TransactionAnswer found = TRANSACTION.read(in);
            in.echo("tx_id", found.txId(), requested);
            boolean inBlock = found.blockId() != null && found.blockHeight() != null;
            boolean notInBlock = found.blockId() == null && found.blockHeight() == null;
            if (found.inMempool() ? !notInBlock : !inBlock) {
                throw new NodeException.BadAnswer("node answered get_transaction without saying clearly where it is");
            }
            return new NodeClient.NodeTransaction(
                    requested, found.bytes(), found.inMempool(), found.blockId(), found.blockHeight());
        };
    }

    static Optional<NodeClient.SpentBy> spentBy(AnswerJson in) throws IOException {
        SpentByAnswer found = SPENT_BY.read(in);
        if (!found.spent()) {
            return Optional.empty();
        }
        return Optional.of(new NodeClient.SpentBy(
                in.required(found.spendingTxId(), "spending_tx_id"),
                in.required(found.inputIndex(), "input_index"),
                in.required(found.blockHeight(), "block_height")));
    }

    static Hash256 broadcast(AnswerJson in) throws IOException {
        return BROADCAST.read(in).txId();
    }
}
