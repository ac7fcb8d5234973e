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
 * Typed calls to the chain's nodes (chain protocol, section 10.4). Every stage fails with {@link NodeException}. Each call rotates through
 * the configured nodes and retries as interface.md, section 1.7 says; one call is one upstream round trip on the good path.
 */
public interface NodeClient {
    CompletionStage<Tip> tip();

    CompletionStage<NodeInfo> info();

    /** Confirmed balance, without immature coinbases. */
    CompletionStage<Amount> balance(Address address);

    /** At most 100 addresses; falls back to single calls on a node without the batch method. Order and duplicates as asked. */
    CompletionStage<List<Amount>> balances(List<Address> addresses);

    /** The first 1,000 confirmed outputs of an address. */
    CompletionStage<UtxoListing> addressUtxos(Address address);

    CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses);

    CompletionStage<UtxoListing> scriptUtxos(Bytes script);

    CompletionStage<AddressMempool> addressMempool(Address address);

    /** At most 100 addresses; falls back to single calls on a node without the batch method. Order and duplicates as asked. */
    CompletionStage<List<AddressMempool>> addressMempools(List<Address> addresses);

    /** Block of the best chain; empty when there is none at that height. */
    CompletionStage<Optional<BlockSummary>> blockAt(long height);

    /** Any stored block, also of a stale fork; empty when unknown. */
    CompletionStage<Optional<BlockSummary>> block(Hash256 blockId);

    /** Confirmed or in the mempool; empty when the node does not know it. */
    CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId);

    /** Confirmed spend of an outpoint; empty proves nothing (chain protocol, pitfall 22). */
    CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint);

    /** As {@link #spentBy}, but a node without the method refuses with -32601 instead of answering that it knows nothing. */
    default CompletionStage<Optional<SpentBy>> knownSpentBy(Outpoint outpoint) {
        return spentBy(outpoint);
    }

    /** Broadcasts. A transport failure means "unknown", not "refused". */
    CompletionStage<Hash256> sendRawTransaction(Bytes transaction);

    /** A view of this client that asks each node once, without a second sweep: for answers that are better missing than late. */
    default NodeClient hasty() {
        return this;
    }

    /**
     * A view of this client for questions that are made of many calls and can wait: when all nodes refuse for their quotas its calls wait for
     * the next window, and they leave a part of each window to others.
     *
     * @param time that all calls of the view have together, from the first one on; a call that would have to wait longer fails at once
     */
    default NodeClient patient(Duration time) {
        return this;
    }

    /**
     * A view of this client for work that nobody waits for, such as catching up: its calls never keep a place at a node from calls of the
     * other kind and use at most a third of a node's quotas. When a node leaves them no room they wait for it.
     */
    default NodeClient background() {
        return this;
    }

    /**
     * A view of this client whose first call begins at one node and each call after it at the next one, whatever others ask meanwhile: so that
     * what is said again is said to somebody else.
     *
     * @param first index in {@link #each}, of as many turns as one likes
     */
    default NodeClient from(int first) {
        return this;
    }

    /** Views, one for each configured node, whose calls go to that node once: to hear what every single one knows. */
    default List<NodeClient> each() {
        return List.of(this);
    }

    /**
     * @param genesisBlockId null on nodes older than 1.13
     */
    record Tip(long height, Hash256 blockId, Hash256 genesisBlockId) {}

    /** Members that a node did not send are null. */
    record NodeInfo(
            @MaybeAbsent String version,
            @MaybeAbsent String network,
            @MaybeAbsent Hash256 genesisBlockId,
            @MaybeAbsent Long tipHeight,
            @MaybeAbsent Hash256 tipBlockId) {}

    record Utxo(Outpoint outpoint, Amount value, long height, boolean coinbase, Integer scriptLength) {}

    /**
     * @param node URL of the one whose word this is; empty when it is not known
     */
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
        /** The header that the node's words make. */
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
         * The transaction that the bytes are.
         *
         * @throws NodeException.BadAnswer when they are none, or one with another id
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
