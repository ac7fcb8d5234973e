package org.chainwalletd.wait;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
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
import org.chainwalletd.stage.Outcome;

/**
 * Look-ups of pending transactions for one actor, and owner of what is listed but still unknown, and of how much of it is requested. A look-up of
 * some addresses is one scan for all of them, then the bytes of each transaction not known yet, because the amounts in a listing prove nothing.
 * Transactions whose bytes cannot be fetched, belong to another id, or are too many for one look-up or its time, are reported as missing; the actor
 * may have some of them requested again.
 */
final class MempoolLook {
    /** Maximum number of transactions fetched per look-up, shared by its addresses in turns; the rest is reported as missing. */
    private static final int MOST_FETCHED = 500;
    /** Maximum number of missing transactions that are requested again. */
    private static final int MOST_REPEATED = 50;
    /** Maximum number of listed transactions of one address: enough to tell that there are more than a look-up and its repetitions fetch. */
    private static final int MOST_LISTED = MOST_FETCHED + MOST_REPEATED + 1;
    /** Attempts to fetch a missing transaction, and the pause before each. */
    private static final int TRIES = 10;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Transactions fetched concurrently. */
    static final int AT_ONCE = 16;
    /** Maximum length of the transactions of one look-up together: one block confirms no more. */
    private static final long MOST_BYTES = Block.MAX_TRANSACTIONS_BYTES;
    /** Time after which no more transactions are requested, because a silent node delays each request and other look-ups wait for the end of this one. */
    static final long MOST_MILLIS = 10_000;

    /**
     * Result of a look-up.
     *
     * @param addresses for which the transactions were listed
     * @param paid amounts that transactions pay to the addresses, by transaction
     * @param transactions by their ids, computed from the bytes
     * @param missing transactions whose bytes were not fetched
     * @param unrequested those of the missing ones that were not even requested
     */
    record Found(
            List<Address> addresses,
            Map<Hash256, Map<Address, Amount>> paid,
            Map<Hash256, Transaction> transactions,
            List<Hash256> missing,
            Set<Hash256> unrequested) {}

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;
    private final LongSupplier clock;
    private final MissingBodies missing = new MissingBodies();

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

    /** Keeps missing transactions of a look-up to request them again; returns whether there was room for all. */
    boolean keepMissing(Found found) {
        return missing.add(found.addresses(), found.missing());
    }

    /** Sends the actor this message when it should call {@link #fetchMissing}, if there is reason to. */
    <C> void fetchLater(TimerScheduler<C> timers, C due) {
        if (missing.isDue() && !timers.isTimerActive(due)) {
            timers.startSingleTimer(due, due, PAUSE);
        }
    }

    /** Fetches the kept transactions; {@link #fetched} follows. */
    CompletionStage<Found> fetchMissing() {
        MissingBodies.Question question = missing.ask();
        return fetch(question.txIds(), question.addresses());
    }

    void fetched(Outcome<Found> bodies) {
        bodies.match(missing::answered, failure -> missing.failed());
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
                    .limit(MOST_LISTED)
                    .toList());
        }
        return fetch(inTurns(unknown), addresses);
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

    private CompletionStage<Found> fetch(List<Hash256> txIds, List<Address> addresses) {
        AtomicLong room = new AtomicLong(MOST_BYTES);
        long end = clock.getAsLong() + MOST_MILLIS;
        int most = Math.min(MOST_FETCHED, txIds.size());
        Set<Hash256> unrequested = ConcurrentHashMap.newKeySet();
        unrequested.addAll(txIds.subList(most, txIds.size()));
        return Bounded.each(
                        txIds.subList(0, most),
                        AT_ONCE,
                        txId -> {
                            if (room.get() < 0 || clock.getAsLong() >= end) {
                                unrequested.add(txId);
                                return CompletableFuture.completedFuture(Optional.empty());
                            }
                            return transaction(txId, room);
                        },
                        executor)
                .thenApplyAsync(fetched -> found(txIds, fetched, unrequested, addresses), executor);
    }

    private Found found(
            List<Hash256> txIds,
            List<Optional<Transaction>> fetched,
            Set<Hash256> unrequested,
            List<Address> addresses) {
        Set<Address> asked = Set.copyOf(addresses);
        Map<Hash256, Map<Address, Amount>> paid = new HashMap<>();
        Map<Hash256, Transaction> transactions = new HashMap<>();
        List<Hash256> unfetched = new ArrayList<>();
        for (int i = 0; i < txIds.size(); i++) {
            Hash256 txId = txIds.get(i);
            (i < fetched.size() ? fetched.get(i) : Optional.<Transaction>empty())
                    .ifPresentOrElse(
                            tx -> {
                                paid.put(txId, Payments.of(profile, tx, asked::contains));
                                transactions.put(txId, tx);
                            },
                            () -> unfetched.add(txId));
        }
        return new Found(addresses, paid, transactions, unfetched, unrequested);
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

    /**
     * Transactions listed in a mempool whose bytes no node has sent yet. Each is requested a few more times by its id, which costs no scan; otherwise a
     * payment whose first fetch failed would be reported only with its block. Bounded, because a node may list transactions that do not exist; after
     * the last attempt, or above the maximum, only a later look-up requests it.
     */
    static final class MissingBodies {
        /** Transaction that is requested again, with the addresses for which it was listed. */
        private static final class Missing {
            final List<Address> addresses;
            int tries;

            Missing(List<Address> addresses) {
                this.addresses = addresses;
            }
        }

        private final Map<Hash256, Missing> missing = new LinkedHashMap<>();
        private boolean asking;

        /**
         * Adds transactions that a look-up of these addresses listed but whose bytes were not fetched, up to {@value #MOST_REPEATED} in all.
         *
         * @return whether all were added
         */
        boolean add(List<Address> addresses, Collection<Hash256> txIds) {
            for (Hash256 txId : txIds) {
                if (missing.size() < MOST_REPEATED) {
                    missing.putIfAbsent(txId, new Missing(addresses));
                }
            }
            return missing.keySet().containsAll(txIds);
        }

        /** Returns whether a request is due after a pause. */
        boolean isDue() {
            return !asking && !missing.isEmpty();
        }

        /**
         * Transactions to request; ended by {@link #answered} or {@link #failed}.
         *
         * @param addresses all addresses for which they were listed
         */
        record Question(List<Address> addresses, List<Hash256> txIds) {}

        Question ask() {
            asking = true;
            Set<Address> addresses = new LinkedHashSet<>();
            missing.values().forEach(one -> {
                one.tries++;
                addresses.addAll(one.addresses);
            });
            return new Question(List.copyOf(addresses), new ArrayList<>(missing.keySet()));
        }

        void answered(Found found) {
            missing.keySet().removeAll(found.transactions().keySet());
            missing.forEach((txId, one) -> {
                if (found.unrequested().contains(txId)) {
                    one.tries--;
                }
            });
            failed();
        }

        void failed() {
            asking = false;
            missing.values().removeIf(one -> one.tries >= TRIES);
        }
    }
}
