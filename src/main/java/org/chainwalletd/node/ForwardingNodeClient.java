package org.chainwalletd.node;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** Forwards every call to another client. Base class for clients that change some of the calls. */
public abstract class ForwardingNodeClient implements NodeClient {
    private final NodeClient node;

    protected ForwardingNodeClient(NodeClient node) {
        this.node = node;
    }

    /** Returns the other client. */
    protected final NodeClient node() {
        return node;
    }

    /** Wraps a view of the other client as a view of this one. By default it is not wrapped. */
    protected NodeClient view(NodeClient other) {
        return other;
    }

    @Override
    public CompletionStage<Tip> tip() {
        return node.tip();
    }

    @Override
    public CompletionStage<NodeInfo> info() {
        return node.info();
    }

    @Override
    public CompletionStage<Amount> balance(Address address) {
        return node.balance(address);
    }

    @Override
    public CompletionStage<List<Amount>> balances(List<Address> addresses) {
        return node.balances(addresses);
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return node.addressUtxos(address);
    }

    @Override
    public CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses) {
        return node.addressUtxos(addresses);
    }

    @Override
    public CompletionStage<UtxoListing> scriptUtxos(Bytes script) {
        return node.scriptUtxos(script);
    }

    @Override
    public CompletionStage<AddressMempool> addressMempool(Address address) {
        return node.addressMempool(address);
    }

    @Override
    public CompletionStage<List<AddressMempool>> addressMempools(List<Address> addresses) {
        return node.addressMempools(addresses);
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> blockAt(long height) {
        return node.blockAt(height);
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> block(Hash256 blockId) {
        return node.block(blockId);
    }

    @Override
    public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
        return node.transaction(txId);
    }

    @Override
    public CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint) {
        return node.spentBy(outpoint);
    }

    @Override
    public CompletionStage<Hash256> sendRawTransaction(Bytes transaction) {
        return node.sendRawTransaction(transaction);
    }

    @Override
    public NodeClient hasty() {
        return view(node.hasty());
    }

    @Override
    public NodeClient patient(Duration time) {
        return view(node.patient(time));
    }

    @Override
    public NodeClient from(int first) {
        return view(node.from(first));
    }

    @Override
    public List<NodeClient> each() {
        return node.each().stream().map(this::view).toList();
    }

    @Override
    public NodeClient background() {
        return view(node.background());
    }
}
