package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Json;
import org.chainwalletd.devnet.indexer.ChainIndex.Activity;
import org.chainwalletd.devnet.indexer.ChainIndex.Htlc;
import org.chainwalletd.devnet.indexer.ChainIndex.Place;
import org.chainwalletd.devnet.indexer.ChainIndex.Seen;

/** Rows as an indexer writes them. */
final class IndexerRows {
    private IndexerRows() {}

    static ObjectNode htlc(Htlc htlc) {
        ObjectNode row = Json.object()
                .put("lock_tx_id", htlc.outpoint().txId().hex())
                .put("output_index", htlc.outpoint().index())
                .put("role", "observer")
                .put("state", htlc.state());
        row.set("amount", Json.amount(htlc.amount()));
        row.set("lock_block_height", Json.u64(htlc.lockHeight()));
        row.set("last_indexed_height", Json.u64(htlc.lastIndexedHeight()));
        ObjectNode params = Json.object()
                .put("sender", htlc.params().sender().hex())
                .put("receiver", htlc.params().receiver().hex())
                .put("hash_lock", htlc.params().hashLock().hex());
        params.set("timeout_height", Json.u64(htlc.params().timeoutHeight()));
        row.set("params", params);
        Htlc.Settlement how = htlc.settlement();
        row.set(
                "claim",
                how != null && how.isClaim()
                        ? settled(how).put("preimage", how.preimage().hex())
                        : null);
        row.set("reclaim", how != null && !how.isClaim() ? settled(how) : null);
        return row;
    }

    private static ObjectNode settled(Htlc.Settlement how) {
        ObjectNode row = Json.object().put("tx_id", how.txId().hex()).put("input_index", how.inputIndex());
        return row.set("block_height", Json.u64(how.height()));
    }

    /** The fields of 32 bytes are arrays of numbers, and the transaction is that of the lock (indexer.md, quirks 1 and 2). */
    static JsonNode settlement(Seen seen, Hash256 contract) {
        Htlc htlc = seen.htlc();
        ObjectNode row = Json.object()
                .put("lock_output_index", htlc.outpoint().index())
                .put("outcome", htlc.settlement().isClaim() ? "claimed" : "reclaimed");
        row.set("amount", Json.amount(htlc.amount()));
        row.set("block_height", Json.u64(htlc.settlement().height()));
        row.set("contract_hash", numbers(contract.toArray()));
        row.set("observer_address", numbers(seen.observer().toArray()));
        row.set("counterparty", numbers(seen.counterparty().toArray()));
        row.set("lock_tx_id", numbers(htlc.outpoint().txId().toArray()));
        row.set("tx_id", numbers(htlc.outpoint().txId().toArray()));
        return row;
    }

    private static ArrayNode numbers(byte[] bytes) {
        ArrayNode numbers = Json.array();
        for (byte value : bytes) {
            numbers.add(value & 0xff);
        }
        return numbers;
    }

    static JsonNode activity(Place place, Activity activity) {
        ObjectNode row = Json.object()
                .put("tx_id", place.txId().hex())
                .put("direction", activity.direction().name().toLowerCase(Locale.ROOT))
                .put("is_coinbase", activity.coinbase());
        row.set("block_height", Json.u64(place.height()));
        row.set("amount", Json.u64(U64.fromBigInteger(activity.amount())));
        ArrayNode counterparties = row.putArray("counterparties");
        activity.counterparties().forEach(address -> counterparties.add(address.hex()));
        return row;
    }

    static JsonNode spend(String source, Hash256 txId, long inputIndex, long height) {
        ObjectNode row = Json.object()
                .put("spent", true)
                .put("source", source)
                .put("spending_tx_id", txId.hex())
                .put("input_index", inputIndex);
        return row.set("block_height", Json.u64(height));
    }
}
