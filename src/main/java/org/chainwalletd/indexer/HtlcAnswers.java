package org.chainwalletd.indexer;

import java.io.IOException;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.node.AnswerJson;

/** Reads the HTLC records of indexers (interface.md, section 2.8). The role is not read: it is always that of an observer. */
final class HtlcAnswers {
    private HtlcAnswers() {}

    static IndexedHtlc htlc(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 lockTxId = null;
        Long index = null;
        HtlcParams params = null;
        Amount amount = null;
        Long lockHeight = null;
        String state = null;
        IndexedHtlc.Claim claim = null;
        IndexedHtlc.Reclaim reclaim = null;
        Long indexed = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "lock_tx_id" -> lockTxId = in.bytes32(lockTxId);
                case "output_index" -> index = in.u32(index);
                case "params" -> params = params(in, params);
                case "amount" -> amount = in.amount(amount);
                case "lock_block_height" -> lockHeight = in.isNull() ? null : in.u64(lockHeight);
                case "state" -> state = in.text(state);
                case "claim" -> claim = in.isNull() ? null : claim(in, claim);
                case "reclaim" -> reclaim = in.isNull() ? null : reclaim(in, reclaim);
                case "last_indexed_height" -> indexed = in.u64(indexed);
                default -> in.skip();
            }
        }
        return new IndexedHtlc(
                new Outpoint(in.required(lockTxId, "lock_tx_id"), in.required(index, "output_index")),
                in.required(params, "params"),
                in.required(amount, "amount"),
                lockHeight,
                IndexerAnswers.word(in, IndexedHtlc.State.class, in.required(state, "state")),
                claim,
                reclaim,
                in.required(indexed, "last_indexed_height"));
    }

    private static HtlcParams params(AnswerJson in, HtlcParams earlier) throws IOException {
        once(in, earlier);
        Hash256 sender = null;
        Hash256 receiver = null;
        Hash256 hashLock = null;
        Long timeout = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "sender" -> sender = in.bytes32(sender);
                case "receiver" -> receiver = in.bytes32(receiver);
                case "hash_lock" -> hashLock = in.bytes32(hashLock);
                case "timeout_height" -> timeout = in.u64(timeout);
                default -> in.skip();
            }
        }
        return new HtlcParams(
                PublicKey.of(in.required(sender, "sender").toArray()),
                PublicKey.of(in.required(receiver, "receiver").toArray()),
                in.required(hashLock, "hash_lock"),
                in.required(timeout, "timeout_height"));
    }

    private static IndexedHtlc.Claim claim(AnswerJson in, IndexedHtlc.Claim earlier) throws IOException {
        once(in, earlier);
        Hash256 txId = null;
        Bytes preimage = null;
        Long height = null;
        Long inputIndex = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.bytes32(txId);
                case "preimage" -> preimage = in.bytes(preimage);
                case "block_height" -> height = in.u64(height);
                case "input_index" -> inputIndex = in.u32(inputIndex);
                default -> in.skip();
            }
        }
        return new IndexedHtlc.Claim(
                in.required(txId, "tx_id"),
                in.required(preimage, "preimage"),
                in.required(height, "block_height"),
                in.required(inputIndex, "input_index"));
    }

    private static IndexedHtlc.Reclaim reclaim(AnswerJson in, IndexedHtlc.Reclaim earlier) throws IOException {
        once(in, earlier);
        Hash256 txId = null;
        Long height = null;
        Long inputIndex = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.bytes32(txId);
                case "block_height" -> height = in.u64(height);
                case "input_index" -> inputIndex = in.u32(inputIndex);
                default -> in.skip();
            }
        }
        return new IndexedHtlc.Reclaim(
                in.required(txId, "tx_id"),
                in.required(height, "block_height"),
                in.required(inputIndex, "input_index"));
    }

    private static void once(AnswerJson in, Object earlier) {
        if (earlier != null) {
            throw in.bad("occurs twice");
        }
        in.beginObject();
    }
}
