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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;

/**
 * Look-up of pending transactions of some addresses: one scan for all addresses, then the bytes of each transaction not known yet, because the
 * amounts in a listing prove nothing. Transactions whose bytes cannot be fetched, belong to another id, or are too many for one look-up or its time,
 * are reported as missing.
 */
final class MempoolLook {
    /** Maximum number of transactions fetched per look-up, shared by its addresses in turns; the rest is reported as missing. */
    private static final int MOST_FETCHED = 500;
    /** Transactions fetched concurrently. */
    static final int AT_ONCE = 16;
    /** Maximum length of the transactions of one look-up together: one block confirms no more. */
    private static final long MOST_BYTES = Block.MAX_TRANSACTIONS_BYTES;
    /** Time after which no more transactions are requested, because a silent node delays each request and other look-ups wait for the end of this one. */
    static final long MOST_MILLIS = 10_000;

    /**
     * Result of a look-up.
     *
     * @param paid amounts that transactions pay to the addresses, by transaction
     * @param transactions by their ids, computed from the bytes
     * @param missing transactions whose bytes were not fetched
     * @param unrequested those of the missing ones that were not even requested
     */
    record Found(
            Map<Hash256, Map<Address, Amount>> paid,
            Map<Hash256, Transaction> transactions,
            List<Hash256> missing,
            Set<Hash256> unrequested) {
        private Found withMissing(List<Hash256> more) {
            return new Found(
                    paid,
                    transactions,
                    Stream.concat(missing.stream(), more.stream()).toList(),
                    Stream.concat(unrequested.stream(), more.stream()).collect(Collectors.toSet()));
        }
    }

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;
    private final LongSupplier clock;

    /** @param clock monotonic milliseconds */
    MempoolLook(ChainProfile profile, NodeClient nodes, Executor executor, LongSupplier clock) {
        this.profile = profile;
        this.nodes = nodes;
        this.executor = executor;
        this.clock = clock;
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
                    .limit(MOST_FETCHED + MissingBodies.MOST + 1)
                    .toList());
        }
        List<Hash256> inTurns = inTurns(unknown);
        int most = Math.min(MOST_FETCHED, inTurns.size());
        return fetch(inTurns.subList(0, most), Set.copyOf(addresses))
                .thenApplyAsync(found -> found.withMissing(inTurns.subList(most, inTurns.size())), executor);
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
        AtomicLong room = new AtomicLong(MOST_BYTES);
        long end = clock.getAsLong() + MOST_MILLIS;
        Set<Hash256> unrequested = ConcurrentHashMap.newKeySet();
        return Bounded.each(
                        txIds,
                        AT_ONCE,
                        txId -> {
                            if (room.get() < 0 || clock.getAsLong() >= end) {
                                unrequested.add(txId);
                                return CompletableFuture.completedFuture(Optional.empty());
                            }
                            return transaction(txId, room);
                        },
                        executor)
                .thenApplyAsync(fetched -> found(txIds, fetched, unrequested, asked), executor);
    }

    private Found found(
            List<Hash256> txIds, List<Optional<Transaction>> fetched, Set<Hash256> unrequested, Set<Address> asked) {
        Map<Hash256, Map<Address, Amount>> paid = new HashMap<>();
        Map<Hash256, Transaction> transactions = new HashMap<>();
        List<Hash256> missing = new ArrayList<>();
        for (int i = 0; i < txIds.size(); i++) {
            Hash256 txId = txIds.get(i);
            fetched.get(i)
                    .ifPresentOrElse(
                            tx -> {
                                paid.put(txId, Payments.of(profile, tx, asked::contains));
                                transactions.put(txId, tx);
                            },
                            () -> missing.add(txId));
        }
        return new Found(paid, transactions, missing, unrequested);
    }

    /** @param room bytes left for the look-up; negative once a transaction did not fit */
    private CompletionStage<Optional<Transaction>> transaction(Hash256 txId, AtomicLong room) {
        return nodes.transaction(txId)
                .handleAsync(
                        (found, failure) ->
                                failure != null ? Optional.empty() : found.flatMap(tx -> read(txId, tx.bytes(), room)),
                        executor);
    }

    private Optional<Transaction> read(Hash256 txId, Bytes bytes, AtomicLong room) {
        try {
            Transaction tx = TransactionCodec.decode(bytes.toArray());
            return TransactionCodec.txId(profile, tx).equals(txId) && room.addAndGet(-bytes.length()) >= 0
                    ? Optional.of(tx)
                    : Optional.empty();
        } catch (DecodeException e) {
            return Optional.empty();
        }
    }
}
