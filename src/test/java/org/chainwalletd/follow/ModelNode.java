package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Stub;

/** Node of a {@link ModelChain}: has one branch, answers a follower's requests, and returns false data on request. */
final class ModelNode {
    /** Kind of false data. */
    enum Lie {
        NONE,
        /** Transactions pay more than in reality. */
        VALUE,
        /** Lists lack their last transaction. */
        OMISSION,
        /** The last two transactions of each list are swapped. */
        ORDER,
        /** Lists contain one transaction twice. */
        TWICE,
        /** Blocks have a wrong height. */
        HEIGHT,
        /** Blocks have a wrong parent. */
        PARENT,
        /** The reported tip is five blocks higher than any block that it shows. */
        TALL,
        /** No transaction is known. */
        FORGETFUL,
        /** No request is answered. */
        SILENT
    }

    private final ModelChain chain;
    private final Executor executor;
    private volatile ModelBlock tip;
    private volatile Lie lie = Lie.NONE;
    private volatile Optional<ModelBlock> hidden = Optional.empty();
    private volatile boolean isHiding = true;
    private final AtomicLong missed = new AtomicLong(-1);
    private final AtomicInteger blocksAsked = new AtomicInteger();
    private final AtomicInteger transactionsAsked = new AtomicInteger();

    ModelNode(ModelChain chain, Executor executor) {
        this.chain = chain;
        this.executor = executor;
        this.tip = chain.genesis();
    }

    ModelBlock tip() {
        return tip;
    }

    void tip(ModelBlock newTip) {
        tip = newTip;
    }

    /** Shows another chain, from the next request for the genesis block until the next request for the tip. */
    void hide(ModelBlock otherTip) {
        hidden = Optional.of(otherTip);
    }

    /** Omits the block at this height in answer to the next request for it. */
    void missOnce(long height) {
        missed.set(height);
    }

    /** Returns the number of requests for blocks. */
    int blocksAsked() {
        return blocksAsked.get();
    }

    /** Returns the number of requests for transactions. */
    int transactionsAsked() {
        return transactionsAsked.get();
    }

    void lie(Lie newLie) {
        lie = newLie;
    }

    /** Returns a client that asks only this node. */
    NodeClient client() {
        return client(false);
    }

    /** Returns a client that asks this node, or another one if it does not answer. */
    NodeClient clientThatFailsOver() {
        return client(true);
    }

    private NodeClient client(boolean failsOver) {
        return Stub.of(NodeClient.class, call -> switch (call.name()) {
            case "tip", "blockAt", "transaction" ->
                CompletableFuture.supplyAsync(() -> answer(failsOver, call.name(), call.arguments()), executor);
            case "each" -> List.of(call.self());
            case "pinned", "hasty", "background", "patient" -> call.self();
            default -> throw new UnsupportedOperationException(call.name());
        });
    }

    private Object answer(boolean failsOver, String method, Object... arguments) {
        if (lie == Lie.SILENT && !failsOver) {
            throw new NodeException.Unreachable("connection refused");
        }
        isHiding = method.equals("tip") || isHiding && !(method.equals("blockAt") && (Long) arguments[0] == 0);
        ModelBlock now = isHiding ? tip : hidden.orElse(tip);
        return switch (method) {
            case "tip" -> tipOf(now);
            case "blockAt" -> blockAt(now, (Long) arguments[0]);
            default -> transaction((Hash256) arguments[0]);
        };
    }

    private NodeClient.Tip tipOf(ModelBlock now) {
        return lie == Lie.TALL
                ? new NodeClient.Tip(
                        now.height() + 5,
                        Hash256.sha256(now.id().toArray()),
                        chain.genesis().id())
                : new NodeClient.Tip(now.height(), now.id(), chain.genesis().id());
    }

    private Optional<NodeClient.BlockSummary> blockAt(ModelBlock now, long height) {
        blocksAsked.incrementAndGet();
        if (height < 0 || height > now.height() || missed.compareAndSet(height, -1)) {
            return Optional.empty();
        }
        ChainBlock block = now.at(height).block();
        List<Hash256> list =
                listed(block.transactions().stream().map(ChainTransaction::id).toList());
        return Optional.of(new NodeClient.BlockSummary(
                block.id(),
                lie == Lie.HEIGHT ? height + 1 : height,
                lie == Lie.PARENT ? block.id() : block.parentId(),
                block.header().stateRoot(),
                block.header().txRoot(),
                block.timestamp(),
                block.header().nonce(),
                block.target(),
                list.size(),
                list));
    }

    private List<Hash256> listed(List<Hash256> truth) {
        List<Hash256> list = new ArrayList<>(truth);
        int last = list.size() - 1;
        switch (lie) {
            case OMISSION -> list.remove(last);
            case ORDER -> Collections.swap(list, last, Math.max(0, last - 1));
            case TWICE -> list.add(list.get(last));
            default -> {
                return list;
            }
        }
        return list;
    }

    private Optional<NodeClient.NodeTransaction> transaction(Hash256 id) {
        transactionsAsked.incrementAndGet();
        if (lie == Lie.FORGETFUL) {
            return Optional.empty();
        }
        return chain.transaction(id)
                .map(tx -> lie == Lie.VALUE ? richer(tx) : tx)
                .map(tx ->
                        new NodeClient.NodeTransaction(id, Bytes.wrap(TransactionCodec.encode(tx)), true, null, null));
    }

    private static Transaction richer(Transaction tx) {
        List<TxOutput> outputs = new ArrayList<>(tx.outputs());
        TxOutput first = outputs.get(0);
        outputs.set(0, new TxOutput(Amount.of(77_777_777), first.script(), first.datum(), first.datumHash()));
        return new Transaction(tx.inputs(), outputs, tx.witnesses());
    }
}
