package org.chainwalletd.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/** Readers for the results of a node's methods about the chain and its transactions (chain protocol, section 10.4). */
final class Answers {
    private Answers() {}

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

    static NodeClient.NodeInfo info(AnswerJson in) throws IOException {
        in.beginObject();
        String version = null;
        String network = null;
        Hash256 genesis = null;
        Long tipHeight = null;
        Hash256 tipBlockId = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "version" -> version = in.text(version);
                case "network" -> network = in.text(network);
                case "genesis_block_id" -> genesis = in.hash(genesis);
                case "tip_height" -> tipHeight = in.u64(tipHeight);
                case "tip_block_id" -> tipBlockId = in.hash(tipBlockId);
                default -> in.skip();
            }
        }
        return new NodeClient.NodeInfo(version, network, genesis, tipHeight, tipBlockId);
    }

    static ResultReader<NodeClient.BlockSummary> blockAt(long asked) {
        return in -> {
            NodeClient.BlockSummary block = block(in);
            if (block.height() != asked) {
                throw new NodeException.BadAnswer("node answered get_block with a block of another height");
            }
            return block;
        };
    }

    static ResultReader<NodeClient.BlockSummary> block(Hash256 asked) {
        return in -> {
            NodeClient.BlockSummary block = block(in);
            if (!block.blockId().equals(asked)) {
                throw new NodeException.BadAnswer("node answered get_block with another block");
            }
            return block;
        };
    }

    private static NodeClient.BlockSummary block(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 blockId = null;
        Long height = null;
        Hash256 previous = null;
        Hash256 stateRoot = null;
        Hash256 txRoot = null;
        Long timestamp = null;
        Long nonce = null;
        Hash256 target = null;
        Long txCount = null;
        List<Hash256> transactions = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "hash" -> blockId = in.hash(blockId);
                case "height" -> height = in.u64(height);
                case "prev_block_id" -> previous = in.hash(previous);
                case "state_root" -> stateRoot = in.hash(stateRoot);
                case "tx_root" -> txRoot = in.hash(txRoot);
                case "timestamp" -> timestamp = in.u64(timestamp);
                case "nonce" -> nonce = in.u64(nonce);
                case "difficulty_target" -> target = in.hash(target);
                case "tx_count" -> txCount = in.u64(txCount);
                case "transactions" -> {
                    in.beginArray(transactions);
                    transactions = new ArrayList<>();
                    while (in.nextElement()) {
                        transactions.add(in.hash(null));
                    }
                }
                default -> in.skip();
            }
        }
        if (in.required(txCount, "tx_count")
                != in.required(transactions, "transactions").size()) {
            throw new NodeException.BadAnswer("node answered get_block with a count that is not that of its list");
        }
        return new NodeClient.BlockSummary(
                in.required(blockId, "hash"),
                in.required(height, "height"),
                in.required(previous, "prev_block_id"),
                in.required(stateRoot, "state_root"),
                in.required(txRoot, "tx_root"),
                in.required(timestamp, "timestamp"),
                in.required(nonce, "nonce"),
                in.required(target, "difficulty_target"),
                txCount,
                transactions);
    }

    static ResultReader<NodeClient.NodeTransaction> transaction(Hash256 asked) {
        return in -> {
            in.beginObject();
            Bytes bytes = null;
            Boolean inMempool = null;
            Hash256 blockId = null;
            Long height = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "tx_id" -> in.echo(asked.hex());
                    case "tx_hex" -> bytes = in.bytes(bytes);
                    case "in_mempool" -> inMempool = in.flag(inMempool);
                    case "block_hash" -> blockId = in.hashOrNull(blockId);
                    case "block_height" -> height = in.isNull() ? null : in.u64(height);
                    default -> in.skip();
                }
            }
            if (in.required(inMempool, "in_mempool")
                    ? blockId != null || height != null
                    : blockId == null || height == null) {
                throw new NodeException.BadAnswer("node answered get_transaction without saying clearly where it is");
            }
            return new NodeClient.NodeTransaction(asked, in.required(bytes, "tx_hex"), inMempool, blockId, height);
        };
    }

    static Optional<NodeClient.SpentBy> spentBy(AnswerJson in) throws IOException {
        in.beginObject();
        Boolean spent = null;
        Hash256 txId = null;
        Long inputIndex = null;
        Long height = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "spent" -> spent = in.flag(spent);
                case "spending_tx_id" -> txId = in.hashOrNull(txId);
                case "input_index" -> inputIndex = in.isNull() ? null : in.u32(inputIndex);
                case "block_height" -> height = in.isNull() ? null : in.u64(height);
                default -> in.skip();
            }
        }
        if (!in.required(spent, "spent")) {
            return Optional.empty();
        }
        return Optional.of(new NodeClient.SpentBy(
                in.required(txId, "spending_tx_id"),
                in.required(inputIndex, "input_index"),
                in.required(height, "block_height")));
    }

    static Hash256 broadcast(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        for (String name; (name = in.nextMember()) != null; ) {
            if (name.equals("tx_id")) {
                txId = in.hash(txId);
            } else {
                in.skip();
            }
        }
        return in.required(txId, "tx_id");
    }
}
