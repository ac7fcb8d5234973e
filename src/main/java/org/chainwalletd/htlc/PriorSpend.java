package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcSpend;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.node.NodeClient;

/**
 * Whether an HTLC output is spent already, asked before anything is built: a claim that cannot confirm would still make its preimage public,
 * and whoever holds the other leg of a swap could use it. A node's word alone stops nothing: the spending transaction must carry the
 * signature of the party that its witness speaks for. That a node knows of no spend proves nothing and lets the spend go on.
 */
final class PriorSpend {
    /** Of the sender's transactions in a mempool, so many are looked at. */
    private static final int MOST_WAITING = 16;

    private final ChainProfile profile;
    private final Hash256 genesis;
    private final NodeClient node;
    private final Executor executor;

    PriorSpend(ChainProfile profile, Hash256 genesis, NodeClient node, Executor executor) {
        this.profile = profile;
        this.genesis = genesis;
        this.node = node;
        this.executor = executor;
    }

    /** The transaction that has spent {@code lock}, as far as that is proved. Never fails. */
    CompletionStage<Optional<Hash256>> find(Outpoint lock, HtlcParams params) {
        return node.spentBy(lock)
                .thenComposeAsync(
                        spent -> spent.isEmpty()
                                ? CompletableFuture.completedFuture(Optional.<Hash256>empty())
                                : proved(spent.get().txId(), lock, params),
                        executor)
                .exceptionallyAsync(unknown -> Optional.empty(), executor);
    }

    /**
     * A reclaim that waits in a mempool and pays the sender's own address, which is where daemons reclaim to; one that pays elsewhere is not
     * found. Never fails.
     */
    CompletionStage<Optional<Hash256>> waiting(Outpoint lock, Address sender, HtlcParams params) {
        return node.addressMempool(sender)
                .thenComposeAsync(
                        mempool -> firstProved(
                                mempool.entries().stream()
                                        .filter(entry -> !entry.received().isEmpty())
                                        .map(NodeClient.MempoolEntry::txId)
                                        .limit(MOST_WAITING)
                                        .toList(),
                                lock,
                                params),
                        executor)
                .exceptionallyAsync(unknown -> Optional.empty(), executor);
    }

    private CompletionStage<Optional<Hash256>> firstProved(List<Hash256> spenders, Outpoint lock, HtlcParams params) {
        if (spenders.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return proved(spenders.get(0), lock, params)
                .thenComposeAsync(
                        found -> found.isPresent()
                                ? CompletableFuture.completedFuture(found)
                                : firstProved(spenders.subList(1, spenders.size()), lock, params),
                        executor);
    }

    private CompletionStage<Optional<Hash256>> proved(Hash256 spender, Outpoint lock, HtlcParams params) {
        return node.transaction(spender)
                .thenApplyAsync(
                        found -> found.filter(tx -> isSpend(tx.bytes().toArray(), spender, lock, params))
                                .map(tx -> spender),
                        executor);
    }

    private boolean isSpend(byte[] bytes, Hash256 spender, Outpoint lock, HtlcParams params) {
        try {
            Transaction tx = TransactionCodec.decode(bytes);
            int input = tx.inputs().indexOf(lock);
            return input >= 0
                    && TransactionCodec.txId(profile, tx).equals(spender)
                    && HtlcWitness.classify(tx.witnesses().get(input))
                            .filter(spend -> isSigned(tx, spend, params))
                            .isPresent();
        } catch (DecodeException e) {
            return false;
        }
    }

    private boolean isSigned(Transaction tx, HtlcSpend spend, HtlcParams params) {
        PublicKey party = spend instanceof HtlcSpend.Claim ? params.receiver() : params.sender();
        byte[] message = TransactionCodec.signingMessage(
                profile, genesis, new Transaction(tx.inputs(), tx.outputs(), List.of()));
        return Ed25519.verify(party.toArray(), message, spend.signature().toArray());
    }
}
