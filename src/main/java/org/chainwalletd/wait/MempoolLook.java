package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.NodeClient;

/**
 * Look-up of pending transactions of some addresses: one scan for all addresses, then the bytes of each transaction not known yet, because the
 * amounts in a listing prove nothing. Transactions whose bytes cannot be fetched, or belong to another id, are reported as missing.
 */
final class MempoolLook {
    /** Maximum number of transactions fetched per look-up, shared by its addresses in turns; the rest is reported as missing. */
    private static final int MOST_FETCHED = 500;

    /**
     * Result of a look-up.
     *
     * @param paid amounts that transactions pay to the addresses, by transaction
     * @param transactions by their ids, computed from the bytes
     * @param missing transactions whose bytes could not be fetched
     */
    record Found(
            Map<Hash256, Map<Address, Amount>> paid, Map<Hash256, Transaction> transactions, List<Hash256> missing) {
        private Found without(List<Hash256> more) {
            return new Found(
                    paid,
                    transactions,
                    Stream.concat(missing.stream(), more.stream()).toList());
        }
    }

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;

    MempoolLook(ChainProfile profile, NodeClient nodes, Executor executor) {
        this.profile = profile;
        this.nodes = nodes;
        this.executor = executor;
    }

    /**
     * Finds transactions that pay the addresses, except change: payments by a transaction that also spends from the address.
     *
     * @param known called on the executor: must be an immutable snapshot
     */
    CompletionStage<Found> at(List<Address> addresses, BiPredicate<Address, Hash256> known) {
        return nodes.addressMempools(addresses)
                .thenComposeAsync(
                        pools -> fetch(
                                addresses,
                                pools,
                                entry -> !entry.received().isEmpty()
                                        && entry.spent().isEmpty(),
                                known),
                        executor);
    }

    /**
     * Finds transactions that pay the addresses or spend from them.
     *
     * @param known as for {@link #at}
     */
    CompletionStage<Found> allAt(List<Address> addresses, Predicate<Hash256> known) {
        return nodes.addressMempools(addresses)
                .thenComposeAsync(
                        pools -> fetch(addresses, pools, entry -> true, (address, txId) -> known.test(txId)), executor);
    }

    /** Fetches transactions that an earlier look-up of the addresses has listed. */
    CompletionStage<Found> again(List<Address> addresses, List<Hash256> txIds) {
        return fetch(txIds, Set.copyOf(addresses));
    }

    private CompletionStage<Found> fetch(
            List<Address> addresses,
            List<NodeClient.AddressMempool> pools,
            Predicate<NodeClient.MempoolEntry> wanted,
            BiPredicate<Address, Hash256> known) {
        List<List<Hash256>> unknown = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            Address address = addresses.get(i);
            unknown.add(pools.get(i).entries().stream()
                    .filter(wanted)
                    .map(NodeClient.MempoolEntry::txId)
                    .filter(txId -> !known.test(address, txId))
                    .limit(MOST_FETCHED + 1)
                    .toList());
        }
        List<Hash256> inTurns = inTurns(unknown);
        int most = Math.min(MOST_FETCHED, inTurns.size());
        return fetch(inTurns.subList(0, most), Set.copyOf(addresses))
                .thenApplyAsync(found -> found.without(inTurns.subList(most, inTurns.size())), executor);
    }

    /** Returns the items of some lists without duplicates: first the first one of each list, then the second ones, and so on. */
    private static List<Hash256> inTurns(List<List<Hash256>> lists) {
        Set<Hash256> items = new LinkedHashSet<>();
        int turns = lists.stream().mapToInt(List::size).max().orElse(0);
        for (int turn = 0; turn < turns; turn++) {
            for (List<Hash256> list : lists) {
                if (turn < list.size()) {
                    items.add(list.get(turn));
                }
            }
        }
        return List.copyOf(items);
    }

    private CompletionStage<Found> fetch(List<Hash256> txIds, Set<Address> asked) {
        List<CompletableFuture<Optional<Transaction>>> fetched = new ArrayList<>();
        txIds.forEach(txId -> fetched.add(transaction(txId).toCompletableFuture()));
        return CompletableFuture.allOf(fetched.toArray(CompletableFuture[]::new))
                .thenApplyAsync(done -> found(txIds, fetched, asked), executor);
    }

    private Found found(
            List<Hash256> txIds, List<CompletableFuture<Optional<Transaction>>> fetched, Set<Address> asked) {
        Map<Hash256, Map<Address, Amount>> paid = new HashMap<>();
        Map<Hash256, Transaction> transactions = new HashMap<>();
        List<Hash256> missing = new ArrayList<>();
        for (int i = 0; i < txIds.size(); i++) {
            Hash256 txId = txIds.get(i);
            fetched.get(i)
                    .join()
                    .ifPresentOrElse(
                            tx -> {
                                paid.put(txId, Payments.of(profile, tx, asked::contains));
                                transactions.put(txId, tx);
                            },
                            () -> missing.add(txId));
        }
        return new Found(paid, transactions, missing);
    }

    private CompletionStage<Optional<Transaction>> transaction(Hash256 txId) {
        return nodes.transaction(txId)
                .handleAsync(
                        (found, failure) -> failure != null ? Optional.empty() : found.flatMap(tx -> read(txId, tx)),
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
