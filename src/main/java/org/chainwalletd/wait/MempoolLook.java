package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.NodeClient;

/**
 * One look at what is pending for some addresses: a scan for all of them, then the bytes of each transaction that is not known yet, because a
 * listing's amounts prove nothing. A transaction whose bytes are not to be had, or are those of another one, is left for a later look.
 */
final class MempoolLook {
    /** Most transactions that are fetched for one look; who sends more to an address is heard of with the block. */
    private static final int MOST_FETCHED = 500;

    /**
     * What was found.
     *
     * @param paid what transactions pay to the addresses, by transaction
     * @param tipHeight as the node said
     */
    record Found(Map<Hash256, Map<Address, Amount>> paid, long tipHeight) {}

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;

    MempoolLook(ChainProfile profile, NodeClient nodes, Executor executor) {
        this.profile = profile;
        this.nodes = nodes;
        this.executor = executor;
    }

    /**
     * @param known asked on this thread only while the answer is awaited by nobody else: a snapshot
     */
    CompletionStage<Found> at(List<Address> addresses, BiPredicate<Address, Hash256> known) {
        return nodes.addressMempools(addresses).thenComposeAsync(pools -> fetch(addresses, pools, known), executor);
    }

    private CompletionStage<Found> fetch(
            List<Address> addresses, List<NodeClient.AddressMempool> pools, BiPredicate<Address, Hash256> known) {
        Set<Hash256> unknown = new HashSet<>();
        long tip = 0;
        for (int i = 0; i < addresses.size(); i++) {
            Address address = addresses.get(i);
            tip = pools.get(i).tipHeight();
            pools.get(i).entries().stream()
                    .filter(entry ->
                            !entry.received().isEmpty() && entry.spent().isEmpty())
                    .filter(entry -> !known.test(address, entry.txId()))
                    .limit(MOST_FETCHED - Math.min(unknown.size(), MOST_FETCHED))
                    .forEach(entry -> unknown.add(entry.txId()));
        }
        long tipHeight = tip;
        Set<Address> asked = Set.copyOf(addresses);
        List<CompletableFuture<Optional<Paid>>> fetched = new ArrayList<>();
        unknown.forEach(txId -> fetched.add(paid(txId, asked).toCompletableFuture()));
        return CompletableFuture.allOf(fetched.toArray(CompletableFuture[]::new))
                .thenApplyAsync(done -> new Found(collect(fetched), tipHeight), executor);
    }

    private record Paid(Hash256 txId, Map<Address, Amount> amounts) {}

    private static Map<Hash256, Map<Address, Amount>> collect(List<CompletableFuture<Optional<Paid>>> fetched) {
        Map<Hash256, Map<Address, Amount>> paid = new HashMap<>();
        fetched.forEach(one -> one.join().ifPresent(found -> paid.put(found.txId(), found.amounts())));
        return paid;
    }

    private CompletionStage<Optional<Paid>> paid(Hash256 txId, Set<Address> asked) {
        return nodes.transaction(txId)
                .handleAsync(
                        (found, failure) -> failure != null
                                ? Optional.empty()
                                : found.flatMap(tx -> read(txId, tx))
                                        .map(tx -> new Paid(txId, Payments.of(profile, tx, asked::contains))),
                        executor);
    }

    private Optional<Transaction> read(Hash256 txId, NodeClient.NodeTransaction found) {
        try {
            Transaction tx = TransactionCodec.decode(found.bytes().toArray());
            return TransactionCodec.txId(profile, tx).equals(txId) ? Optional.of(tx) : Optional.empty();
        } catch (DecodeException e) {
            return Optional.empty();
        }
    }
}
