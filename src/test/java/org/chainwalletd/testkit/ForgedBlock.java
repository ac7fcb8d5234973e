package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.follow.WorkCheck;

/**
 * Block that a node may present on top of a development chain, and further ones on top of it. Links, times, ids and roots are consistent. Only the
 * proof of work may be missing or too small, and the transactions may be unspendable, which a follower of the chain does not check.
 */
public final class ForgedBlock {
    private static final JsonMapper JSON = new JsonMapper();

    /** Proof of work of a block. */
    public enum Work {
        /** The nonce does not meet the required target. */
        NONE,
        /** The nonce meets a target easier than the required one, which every hash does. */
        TOO_LITTLE,
        /** The nonce meets the required target. */
        ENOUGH
    }

    private final Optional<ForgedBlock> parent;
    private final Block block;
    private final Hash256 id;
    private final Map<String, Transaction> transactions = new HashMap<>();

    private ForgedBlock(Optional<ForgedBlock> parent, Block block) {
        this.parent = parent;
        this.block = block;
        this.id = block.id();
        block.transactions()
                .forEach(tx -> transactions.put(
                        TransactionCodec.txId(Party.PROFILE, tx).hex(), tx));
    }

    /** Returns the genuine tip of the chain. */
    public static ForgedBlock tipOf(Devnet chain) {
        return new ForgedBlock(
                Optional.empty(),
                chain.ledger().blockAt(chain.tip().height()).orElseThrow().block());
    }

    /** Creates a block on top of this one, with a coinbase that pays an unknown key, and these transactions. */
    public ForgedBlock next(Work work, Transaction... more) {
        BlockHeader below = block.header();
        List<Transaction> all = new ArrayList<>();
        all.add(new Transaction(
                List.of(new Outpoint(Hash256.ZERO, height() + 1)),
                List.of(TxOutput.toAddress(new Party(0x66).address, Amount.of(1))),
                List.of(Witness.EMPTY)));
        all.addAll(List.of(more));
        Hash256 root = MerkleTree.root(
                Party.PROFILE,
                all.stream()
                        .map(tx -> TransactionCodec.witnessTxId(Party.PROFILE, tx))
                        .toList());
        BlockHeader draft = new BlockHeader(
                BlockHeader.VERSION,
                height() + 1,
                id,
                below.timestamp() + 1,
                work == Work.TOO_LITTLE ? Difficulty.EASIEST : below.target(),
                0,
                root,
                below.stateRoot());
        return new ForgedBlock(
                Optional.of(this), new Block(work == Work.TOO_LITTLE ? draft : sealed(draft, work), all));
    }

    private static BlockHeader sealed(BlockHeader draft, Work work) {
        BlockHeader header = draft;
        while (header.isMetBy(WorkCheck.hash(Party.PROFILE, header)) != (work == Work.ENOUGH)) {
            header = header.withNonce(header.nonce() + 1);
        }
        return header;
    }

    public Hash256 id() {
        return id;
    }

    public long height() {
        return block.header().height();
    }

    /** Makes the node report this block as its tip, and present it and those below. */
    public void toldBy(DistortingNode node) {
        toldBy(node, list -> {});
    }

    /** Does the same, with a different list of this block's transactions than the one to which its header commits. */
    public void toldBy(DistortingNode node, Consumer<ArrayNode> change) {
        node.lieAbout("get_block_height", tip -> tip.put("height", height()).put("block_id", id.hex()));
        node.lieAbout("get_block", (asked, truth) -> {
            ObjectNode told = asked(asked).map(ForgedBlock::summary).orElse(null);
            if (told != null && told.path("hash").asText().equals(id.hex())) {
                ArrayNode list = (ArrayNode) told.path("transactions");
                change.accept(list);
                told.put("tx_count", list.size());
            }
            return told;
        });
        node.lieAbout(
                "get_transaction",
                (asked, truth) -> transaction(asked.path("hash").asText()));
    }

    private Optional<ForgedBlock> asked(JsonNode asked) {
        boolean isThis = asked.path("hash").asText().equals(id.hex())
                || asked.path("height").asLong(-1) == height();
        return isThis ? Optional.of(this) : parent.flatMap(below -> below.asked(asked));
    }

    private ObjectNode summary() {
        BlockHeader header = block.header();
        ObjectNode told = JSON.createObjectNode()
                .put("hash", id.hex())
                .put("height", header.height())
                .put("timestamp", header.timestamp())
                .put("tx_count", block.transactions().size());
        block.transactions()
                .forEach(tx -> told.withArray("transactions")
                        .add(TransactionCodec.txId(Party.PROFILE, tx).hex()));
        return told.put("prev_block_id", header.previousId().hex())
                .put("difficulty_target", header.target().hex())
                .put("nonce", header.nonce())
                .put("state_root", header.stateRoot().hex())
                .put("tx_root", header.txRoot().hex());
    }

    /** Returns a transaction; null if none of the blocks contains it. */
    private ObjectNode transaction(String txId) {
        Transaction tx = transactions.get(txId);
        if (tx == null) {
            return parent.map(below -> below.transaction(txId)).orElse(null);
        }
        return JSON.createObjectNode()
                .put("tx_id", txId)
                .put("tx_hex", HexFormat.of().formatHex(TransactionCodec.encode(tx)))
                .put("in_mempool", false)
                .put("block_hash", id.hex())
                .put("block_height", height());
    }
}
