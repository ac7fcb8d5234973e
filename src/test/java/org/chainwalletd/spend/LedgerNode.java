package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;

/** Development node's ledger behind the node client's interface, without sockets, with faults injected by tests. */
class LedgerNode implements NodeClient {
    /** Fault of one call. */
    enum Fault {
        NONE,
        /** Never reaches the node. */
        LOST_QUESTION,
        /** Executed, but the answer is lost. */
        LOST_ANSWER,
        /** The answer is lost, and the node executes the call only when the test allows it: {@link #deliverLate}. */
        LATE,
        /** Answered by a different, lagging node: it knows neither the newest coins nor the mempool. */
        LAGGING,
        /** Executed twice, as when the client's transport repeats it at the same node after a lost answer. */
        TWICE,
        /** Executed, and answered as if it had been executed before. */
        UNTRUE,
        /** Executed by a node whose answer is lost; then a lagging node is asked, which refuses or does not know the transaction. */
        FAILOVER,
        /** Executed, and answered with an internal error. */
        FAILED,
        /** Executed, and answered with an error of the node's storage. */
        FAILED_STORAGE,
        /** Refused with an error that says nothing about the transaction. */
        BUSY,
        /** Refused without being sent, because the node is known to refuse it. */
        FORESEEN
    }

    static final String NAME = "http://ledger.test/";

    private final Ledger ledger;
    private final Executor executor;
    private final List<String> calls = new ArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> late = new ConcurrentLinkedQueue<>();
    private final Map<Address, UtxoListing> lastListings = new ConcurrentHashMap<>();
    private volatile Function<String, Fault> faults = method -> Fault.NONE;

    private volatile Consumer<Transaction> onSend = tx -> {};
    private volatile Optional<NodeException.Rejected> sendRefusal = Optional.empty();
    private volatile UnaryOperator<Utxo> listed = utxo -> utxo;
    private volatile UnaryOperator<NodeTransaction> shown = transaction -> transaction;
    private volatile Optional<SpentBy> spender = Optional.empty();
    private volatile List<NodeClient> each = List.of(this);
    private volatile Optional<Transaction> invented = Optional.empty();

    LedgerNode(Ledger ledger, Executor executor) {
        this.ledger = ledger;
        this.executor = executor;
    }

    /** Sets the function that chooses the fault of each call by its method. */
    void faults(Function<String, Fault> decide) {
        faults = decide;
    }

    /** Gives all calls of one method this fault, and all others none. */
    void fault(String method, Fault fault) {
        faults(called -> called.equals(method) ? fault : Fault.NONE);
    }

    /** Reports every transaction that is sent, regardless of its fate. */
    void onSend(Consumer<Transaction> listener) {
        onSend = listener;
    }

    /** Refuses every send with this text and the code for a transaction that is not accepted, without examining it; null to stop. */
    void refuseSends(String text) {
        sendRefusal = Optional.ofNullable(text).map(words -> new NodeException.Rejected(-32602, words));
    }

    /** Refuses every send with this error without examining it. */
    void refuseSends(int code, String text) {
        sendRefusal = Optional.of(new NodeException.Rejected(code, text));
    }

    /** Changes the entries of its listings; null to stop. */
    void lists(UnaryOperator<Utxo> lie) {
        listed = lie;
    }

    /** Changes the transactions that it returns; null to stop. */
    void shows(UnaryOperator<NodeTransaction> lie) {
        shown = lie;
    }

    /** Spender that it reports for every output; empty to report the true one. */
    void spends(Optional<SpentBy> lie) {
        spender = lie;
    }

    /** Reports this transaction, which was never sent, in a block, and as the spender of every output. */
    void invents(Transaction tx, Hash256 txId) {
        invented = Optional.of(tx);
        spends(Optional.of(new SpentBy(txId, 0, ledger.tip().height())));
    }

    /** Makes this one of several nodes; calls that are not addressed to a single node all go to this one. */
    void among(NodeClient... nodes) {
        each = List.of(nodes);
    }

    @Override
    public List<NodeClient> each() {
        return each;
    }

    /** Executes the delayed calls. */
    void deliverLate() {
        for (Runnable call = late.poll(); call != null; call = late.poll()) {
            call.run();
        }
    }

    /** Drops the delayed calls, so that they never arrive. */
    void dropLate() {
        late.clear();
    }

    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    long count(String method) {
        return calls().stream().filter(method::equals).count();
    }

    synchronized void forgetCalls() {
        calls.clear();
    }

    private synchronized void note(String method) {
        calls.add(method);
    }

    private <T> CompletionStage<T> call(String method, Supplier<T> real, Supplier<T> lagging) {
        return call(method, faults.apply(method), real, lagging);
    }

    private <T> CompletionStage<T> call(String method, Fault fault, Supplier<T> real, Supplier<T> lagging) {
        note(method);
        CompletableFuture<T> answer = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                answer.complete(perform(fault, real, lagging));
            } catch (RejectedException e) {
                answer.completeExceptionally(new NodeException.Rejected(-32602, e.getMessage()));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private <T> T perform(Fault fault, Supplier<T> real, Supplier<T> lagging) {
        switch (fault) {
            case LOST_QUESTION -> throw new NodeException.Unreachable("connection refused");
            case LOST_ANSWER -> {
                quietly(real);
                throw new NodeException.Unreachable("the connection was cut");
            }
            case LATE -> {
                late.add(() -> quietly(real));
                throw new NodeException.Unreachable("no answer in time");
            }
            case LAGGING -> {
                return lagging.get();
            }
            case FAILOVER -> {
                quietly(real);
                try {
                    return lagging.get();
                } catch (RejectedException e) {
                    throw new NodeException.Rejected(-32602, e.getMessage()).afterLostAnswers();
                }
            }
            case TWICE -> {
                quietly(real);
                try {
                    return real.get();
                } catch (RejectedException e) {
                    throw new NodeException.Rejected(-32602, e.getMessage()).afterLostAnswers();
                } catch (NodeException.Rejected e) {
                    throw e.afterLostAnswers();
                }
            }
            case UNTRUE -> {
                quietly(real);
                return real.get();
            }
            case FAILED -> {
                quietly(real);
                throw new NodeException.Rejected(-32603, "whatever");
            }
            case FAILED_STORAGE -> {
                quietly(real);
                throw new NodeException.Rejected(-32603, "Storage error: busy");
            }
            case FORESEEN ->
                throw NodeException.Rejected.foreseen(-32603, "Rate limit exceeded: max 60 tx submissions per minute");
            case BUSY -> throw new NodeException.Rejected(-32603, "Tip changed during validation, try again");
            default -> {
                return real.get();
            }
        }
    }

    private static void quietly(Supplier<?> call) {
        try {
            Object unused = call.get();
        } catch (RejectedException | NodeException.Rejected e) {
            // The caller no longer receives the answer.
            return;
        }
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return call("get_address_utxos", () -> listing(address), () -> oldListing(address));
    }

    /** Previous listing. */
    private UtxoListing oldListing(Address address) {
        UtxoListing old = lastListings.get(address);
        return old == null ? listing(address) : old;
    }

    private UtxoListing listing(Address address) {
        UtxoListing listing = freshListing(address);
        lastListings.put(address, listing);
        return listing;
    }

    private UtxoListing freshListing(Address address) {
        var listing = ledger.list(Bytes.wrap(address.toArray()), null, null, 1000);
        List<Utxo> utxos = listing.coins().stream()
                .map(LedgerNode::utxo)
                .map(listed)
                .filter(Objects::nonNull)
                .toList();
        return new UtxoListing(utxos, listing.more(), listing.tip().height(), NAME);
    }

    private static Utxo utxo(Coin coin) {
        return new Utxo(coin.outpoint(), coin.output().value(), coin.height(), coin.coinbase(), null);
    }

    @Override
    public CompletionStage<AddressMempool> addressMempool(Address address) {
        return call("get_address_mempool", () -> mempool(address), () -> new AddressMempool(0, List.of()));
    }

    @Override
    public CompletionStage<List<AddressMempool>> addressMempools(List<Address> addresses) {
        return call(
                "get_address_mempool_batch",
                () -> addresses.stream().map(this::mempool).toList(),
                () -> List.of());
    }

    private AddressMempool mempool(Address address) {
        var pending = ledger.pendingOf(Bytes.wrap(address.toArray()));
        List<MempoolEntry> entries = pending.transactions().stream()
                .map(tx -> new MempoolEntry(
                        tx.txId(),
                        List.of(),
                        tx.spent().stream()
                                .filter(coin -> coin.output().address().equals(Optional.of(address)))
                                .map(coin ->
                                        new Spent(coin.outpoint(), coin.output().value()))
                                .toList()))
                .toList();
        return new AddressMempool(pending.tip().height(), entries);
    }

    @Override
    public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
        return call("get_transaction", () -> located(txId), Optional::empty);
    }

    private Optional<NodeTransaction> located(Hash256 txId) {
        if (invented.isPresent() && spender.filter(by -> by.txId().equals(txId)).isPresent()) {
            Bytes bytes = Bytes.wrap(TransactionCodec.encode(invented.get()));
            return Optional.of(new NodeTransaction(
                    txId, bytes, false, ledger.tip().id(), ledger.tip().height()));
        }
        return ledger.transaction(txId)
                .map(found -> new NodeTransaction(
                        txId,
                        Bytes.wrap(TransactionCodec.encode(found.tx())),
                        found.blockId() == null,
                        found.blockId(),
                        found.blockId() == null ? null : found.height()))
                .map(shown);
    }

    @Override
    public CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint) {
        return call(
                "get_output_spent_by",
                () -> spender.or(() -> ledger.spentBy(outpoint)
                        .map(spent -> new SpentBy(spent.txId(), spent.inputIndex(), spent.height()))),
                Optional::empty);
    }

    @Override
    public CompletionStage<Hash256> sendRawTransaction(Bytes bytes) {
        Fault fault = faults.apply("send_raw_transaction");
        // A send with a foreseen refusal does not leave the daemon.
        Transaction tx = fault == Fault.FORESEEN ? TransactionCodec.decode(bytes.toArray()) : heard(bytes);
        return call("send_raw_transaction", fault, () -> submit(tx), () -> {
            Outpoint input = tx.inputs().get(0);
            throw new RejectedException("Transaction validation failed: UtxoNotFound(OutPoint { tx_id: Hash256("
                    + input.txId() + "), output_index: " + input.index() + " })");
        });
    }

    /** Reports bytes that have left the daemon, regardless of their fate. */
    Transaction heard(Bytes bytes) {
        Transaction tx = TransactionCodec.decode(bytes.toArray());
        onSend.accept(tx);
        return tx;
    }

    private Hash256 submit(Transaction tx) {
        sendRefusal.ifPresent(refusal -> {
            throw refusal;
        });
        return ledger.submit(tx);
    }

    @Override
    public CompletionStage<Tip> tip() {
        return call(
                "get_block_height",
                () -> new Tip(ledger.tip().height(), ledger.tip().id(), ledger.genesisId()),
                () -> null);
    }

    @Override
    public CompletionStage<NodeInfo> info() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Amount> balance(Address address) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<List<Amount>> balances(List<Address> addresses) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<UtxoListing> scriptUtxos(Bytes script) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> blockAt(long height) {
        return call("get_block", () -> ledger.blockAt(height).map(LedgerNode::summary), Optional::empty);
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> block(Hash256 blockId) {
        return call("get_block", () -> ledger.block(blockId).map(LedgerNode::summary), Optional::empty);
    }

    private static BlockSummary summary(ConnectedBlock block) {
        BlockHeader header = block.block().header();
        return new BlockSummary(
                block.id(),
                block.height(),
                header.previousId(),
                header.stateRoot(),
                header.txRoot(),
                header.timestamp(),
                header.nonce(),
                Difficulty.EASIEST,
                block.txIds().size(),
                block.txIds());
    }
}
