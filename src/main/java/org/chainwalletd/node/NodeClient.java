package org.chainwalletd.node;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.Name;
import org.chainwalletd.wire.U32;

/**
 * Typed calls to the chain's nodes (chain protocol, section 10.4). Every stage fails with {@link NodeException}. Each call rotates through the
 * configured nodes and retries according to interface.md, section 1.7; without failures it costs one round trip.
 */
public interface NodeClient {
    CompletionStage<Tip> tip();

    CompletionStage<NodeInfo> info();

    /** Returns the confirmed balance, without immature coinbases. */
    CompletionStage<Amount> balance(Address address);

    /**
     * Returns balances in request order, duplicates included. Splits more than 100 addresses into several calls; uses single calls on a node
     * without the batch method.
     */
    CompletionStage<List<Amount>> balances(List<Address> addresses);

    /** Returns the first 1,000 confirmed outputs of an address. */
    CompletionStage<UtxoListing> addressUtxos(Address address);

    CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses);

    CompletionStage<UtxoListing> scriptUtxos(Bytes script);

    CompletionStage<AddressMempool> addressMempool(Address address);

    /**
     * Returns mempools in request order, duplicates included. Splits more than 100 addresses into several calls; uses single calls on a node
     * without the batch method.
     */
    CompletionStage<List<AddressMempool>> addressMempools(List<Address> addresses);

    /** Returns the block of the best chain at a height; empty if there is none. */
    CompletionStage<Optional<BlockSummary>> blockAt(long height);

    /** Returns any stored block, also one of a stale fork; empty if unknown. */
    CompletionStage<Optional<BlockSummary>> block(Hash256 blockId);

    /** Returns a confirmed or mempool transaction; empty if the node does not know it. */
    CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId);

    /** Returns the confirmed spend of an outpoint; an empty result proves nothing (chain protocol, pitfall 22). */
    CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint);

    /** Like {@link #spentBy}, but fails with -32601 on a node without the method instead of returning an empty result. */
    default CompletionStage<Optional<SpentBy>> knownSpentBy(Outpoint outpoint) {
        return spentBy(outpoint);
    }

    /** Broadcasts a transaction. After a transport failure it is unknown whether it was accepted; it is not refused. */
    CompletionStage<Hash256> sendRawTransaction(Bytes transaction);

    /** Returns a view of this client that asks each node once, without a second sweep: for answers that are useless when late. */
    default NodeClient hasty() {
        return this;
    }

    /**
     * Returns a view of this client for tasks of many calls that can wait. When all nodes refuse because of quotas, its calls wait for the next
     * window, and they leave part of each window to other calls.
     *
     * @param time total time for all calls of the view, from the first one on; a call that would have to wait longer fails at once
     */
    default NodeClient patient(Duration time) {
        return this;
    }

    /**
     * Returns a view of this client for background work such as catching up. Its calls never take a connection from foreground calls and use at
     * most a third of a node's quotas; when a node has no room for them they wait.
     */
    default NodeClient background() {
        return this;
    }

    /**
     * Returns a view of this client whose first call starts at a given node and each later call at the next node, independent of other calls: so a
     * repeated call goes to another node first.
     *
     * @param first index in {@link #each}, modulo its size
     */
    default NodeClient from(int first) {
        return this;
    }

    /** Returns one view per configured node, whose calls go to that node once: to learn what each node knows. */
    default List<NodeClient> each() {
        return List.of(this);
    }

    /** @param genesisBlockId null on nodes older than 1.13 */
    record Tip(long height, Hash256 blockId, Hash256 genesisBlockId) {}

    /** Members that the node did not send are null. */
    record NodeInfo(
            @MaybeAbsent String version,
            @MaybeAbsent String network,
            @MaybeAbsent Hash256 genesisBlockId,
            @MaybeAbsent Long tipHeight,
            @MaybeAbsent Hash256 tipBlockId) {}

    record Utxo(Outpoint outpoint, Amount value, long height, boolean coinbase, Integer scriptLength) {}

    /** @param node URL of the node that sent it; empty if unknown */
    record UtxoListing(List<Utxo> utxos, boolean truncated, long tipHeight, String node) {
        public UtxoListing(List<Utxo> utxos, boolean truncated, long tipHeight) {
            this(utxos, truncated, tipHeight, "");
        }

        UtxoListing by(String url) {
            return new UtxoListing(utxos, truncated, tipHeight, url);
        }
    }

    record AddressMempool(long tipHeight, List<MempoolEntry> entries) {}

    record MempoolEntry(Hash256 txId, List<Received> received, List<Spent> spent) {}

    record Received(@U32 long outputIndex, Amount value) {}

    record Spent(Outpoint outpoint, Amount value) {}

    record BlockSummary(
            @Name("hash") Hash256 blockId,
            long height,
            @Name("prev_block_id") Hash256 previousBlockId,
            Hash256 stateRoot,
            Hash256 txRoot,
            long timestamp,
            long nonce,
            Hash256 difficultyTarget,
            long txCount,
            List<Hash256> transactions) {
        /** Returns the header built from the node's values. */
        public BlockHeader header() {
            return new BlockHeader(
                    BlockHeader.VERSION,
                    height,
                    previousBlockId,
                    timestamp,
                    difficultyTarget,
                    nonce,
                    txRoot,
                    stateRoot);
        }
    }

    /**
     * @param bytes complete serialisation, not yet decoded or checked against the id
     * @param blockId null while in the mempool
     * @param blockHeight null while in the mempool
     */
    record NodeTransaction(Hash256 txId, Bytes bytes, boolean inMempool, Hash256 blockId, Long blockHeight) {
        /**
         * Decodes the bytes.
         *
         * @throws NodeException.BadAnswer if they are not a transaction, or one with another id
         */
        public Transaction decode(ChainProfile profile) {
            try {
                Transaction tx = TransactionCodec.decode(bytes.toArray());
                if (!TransactionCodec.txId(profile, tx).equals(txId)) {
                    throw new NodeException.BadAnswer(
                            "node answered get_transaction with bytes of another transaction");
                }
                return tx;
            } catch (DecodeException e) {
                throw new NodeException.BadAnswer(
                        "node answered get_transaction with bytes that are no transaction: " + e.getMessage());
            }
        }
    }

    record SpentBy(Hash256 txId, long inputIndex, long blockHeight) {}
}
