package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.RejectedException;

/** Tip, node information, blocks, transactions and their submission (chain protocol, section 10.4). */
final class ChainMethods {
    private static final String VERSION = "1.14.0";
    private static final int TRANSACTION_BODY_CAP = 2_621_440;
    private static final List<String> ZERO_METRICS = List.of(
            "blocks_orphaned",
            "channel_send_drops",
            "global_block_drops",
            "rate_cap_disconnects",
            "rate_cap_softdrops",
            "reorg_fatal_errors",
            "reorg_recoverable_errors",
            "retrying_reorg_trigger");

    private static final Shape GET_BLOCK =
            Shape.of("GetBlockParams", new Field("hash", Type.STRING, true), new Field("height", Type.U64, true));
    private static final Shape GET_TRANSACTION =
            Shape.of("GetTransactionParams", new Field("hash", Type.STRING, false));
    private static final Shape GET_OUTPUT_SPENT_BY = Shape.of(
            "GetOutputSpentByParams",
            new Field("tx_id", Type.STRING, false),
            new Field("output_index", Type.U32, false));
    private static final Shape SEND_RAW_TRANSACTION =
            Shape.of("SendRawTransactionParams", new Field("tx_hex", Type.STRING, false));

    private final Ledger ledger;
    private final InstantSource clock;
    private final long startedAt;

    ChainMethods(Ledger ledger, InstantSource clock) {
        this.ledger = ledger;
        this.clock = clock;
        this.startedAt = clock.millis();
    }

    List<Method> all() {
        return List.of(
                Method.free("get_block_height", params -> blockHeight()),
                Method.free("get_node_info", params -> nodeInfo()),
                Method.free("get_block", params -> block(GET_BLOCK.read(params))),
                Method.free("get_transaction", params -> transaction(GET_TRANSACTION.read(params))),
                Method.free("get_output_spent_by", params -> spentBy(GET_OUTPUT_SPENT_BY.read(params))),
                new Method(
                        "send_raw_transaction",
                        TRANSACTION_BODY_CAP,
                        Method.Bucket.SUBMIT,
                        params -> send(SEND_RAW_TRANSACTION.read(params))));
    }

    private JsonNode blockHeight() {
        Tip tip = ledger.tip();
        return Json.object()
                .put("block_id", tip.id().hex())
                .put("genesis_block_id", ledger.genesisId().hex())
                .set("height", Json.u64(tip.height()));
    }

    private JsonNode nodeInfo() {
        LedgerView.Statistics statistics = ledger.statistics();
        ObjectNode metrics = Json.object();
        ZERO_METRICS.forEach(name -> metrics.put(name, 0));
        metrics.put("blocks_accepted", statistics.blocksAccepted());
        metrics.put("reorgs_applied", statistics.reorgsApplied());
        metrics.put("total_blocks_undone", statistics.blocksUndone());
        ObjectNode info = Json.object();
        info.put("version", VERSION);
        info.put("network", ledger.network().word());
        info.put("genesis_block_id", ledger.genesisId().hex());
        info.set("tip_height", Json.u64(statistics.tip().height()));
        info.put("tip_block_id", statistics.tip().id().hex());
        info.put(
                "tip_age_seconds",
                clock.instant().getEpochSecond() - statistics.tip().timestamp());
        info.put("peer_count", 0);
        info.put("mempool_size", statistics.mempoolTransactions());
        info.put("mempool_bytes", statistics.mempoolBytes());
        info.put("uptime_seconds", (clock.millis() - startedAt) / 1_000);
        info.set("metrics", metrics);
        return info;
    }

    private JsonNode block(Params params) {
        Optional<String> hash = params.optionalText("hash");
        OptionalLong height = params.optionalNumber("height");
        if (hash.isPresent()) {
            return ledger.block(Hex.hash(hash.get(), "Hash"))
                    .map(ChainMethods::block)
                    .orElseThrow(() -> CallException.invalid("Block not found"));
        }
        if (height.isEmpty()) {
            throw CallException.invalid("Provide either 'hash' or 'height'");
        }
        return ledger.blockAt(height.getAsLong())
                .map(ChainMethods::block)
                .orElseThrow(() -> CallException.invalid("No block at height " + U64.toString(height.getAsLong())));
    }

    private static JsonNode block(ConnectedBlock block) {
        BlockHeader header = block.block().header();
        ObjectNode result = Json.object();
        result.put("hash", block.id().hex());
        result.set("height", Json.u64(header.height()));
        result.set("timestamp", Json.u64(header.timestamp()));
        result.put("tx_count", block.txIds().size());
        block.txIds().forEach(txId -> result.withArray("transactions").add(txId.hex()));
        result.put("prev_block_id", header.previousId().hex());
        result.put("difficulty_target", header.target().hex());
        result.set("nonce", Json.u64(header.nonce()));
        result.put("state_root", header.stateRoot().hex());
        result.put("tx_root", header.txRoot().hex());
        return result;
    }

    private JsonNode transaction(Params params) {
        String asked = params.text("hash");
        LedgerView.Located found = ledger.transaction(Hex.hash(asked, "Hash"))
                .orElseThrow(() -> CallException.invalid("Transaction not found"));
        ObjectNode result = Json.object();
        result.put("tx_id", asked);
        result.put("tx_hex", HexFormat.of().formatHex(TransactionCodec.encode(found.tx())));
        result.put("in_mempool", found.blockId() == null);
        if (found.blockId() != null) {
            result.put("block_hash", found.blockId().hex());
            result.set("block_height", Json.u64(found.height()));
        }
        return result;
    }

    private JsonNode spentBy(Params params) {
        Outpoint outpoint = new Outpoint(Hex.hash(params.text("tx_id"), "tx_id"), params.number("output_index"));
        Optional<LedgerView.SpentBy> spend = ledger.spentBy(outpoint);
        ObjectNode result = Json.object().put("spent", spend.isPresent());
        spend.ifPresent(by -> {
            result.put("spending_tx_id", by.txId().hex());
            result.put("input_index", by.inputIndex());
            result.set("block_height", Json.u64(by.height()));
        });
        return result;
    }

    private JsonNode send(Params params) {
        Transaction tx = Hex.transaction(params.text("tx_hex"));
        try {
            return Json.object().put("tx_id", ledger.submit(tx).hex());
        } catch (RejectedException e) {
            throw CallException.invalid(e.getMessage());
        } catch (Ledger.TipChangedException e) {
            throw new CallException(CallException.INTERNAL, e.getMessage());
        }
    }
}
