package org.chainwalletd.devnet.ledger;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.LedgerView.Pending;

/** Transactions waiting for a block (chain protocol, section 11): first seen only, no chains, in memory only. */
final class Mempool {
    static final int MAX_TRANSACTIONS = 8_192;
    static final long MAX_BYTES = 256L << 20;

    /** Order in which a miner takes entries. */
    private static final Comparator<Entry> BEST_FIRST = Comparator.comparing(Entry::density)
            .reversed()
            .thenComparing(Comparator.comparing(Entry::txId).reversed());

    private final NavigableMap<Hash256, Entry> entries = new TreeMap<>();
    private final NavigableSet<Entry> byDensity = new TreeSet<>(BEST_FIRST);
    private final Map<Outpoint, Entry> spenders = new HashMap<>();
    private final Map<Bytes, Set<Entry>> byScript = new HashMap<>();
    private long bytes;

    /**
     * @param spent what it consumes, in the order of its inputs
     * @param size of the serialised transaction in bytes
     */
    record Entry(Hash256 txId, Transaction tx, List<Coin> spent, Amount fee, BigInteger density, long size) {
        static Entry of(Hash256 txId, Transaction tx, Validator.Verdict verdict) {
            return new Entry(
                    txId,
                    tx,
                    verdict.spent(),
                    verdict.fee(),
                    Fees.density(verdict.fee(), verdict.cost()),
                    TransactionCodec.length(tx));
        }

        /** Every script it pays or spends, once per output and input, as often as it occurs: the scripts that the push stream reports. */
        List<Bytes> touches() {
            List<Bytes> scripts = new ArrayList<>(tx.outputs().size() + spent.size());
            for (TxOutput output : tx.outputs()) {
                scripts.add(output.script());
            }
            for (Coin coin : spent) {
                scripts.add(coin.output().script());
            }
            return scripts;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Entry that && txId.equals(that.txId);
        }

        @Override
        public int hashCode() {
            return txId.hashCode();
        }
    }

    Entry get(Hash256 txId) {
        return entries.get(txId);
    }

    boolean spends(Outpoint outpoint) {
        return spenders.containsKey(outpoint);
    }

    /** Ids of all entries. */
    Set<Hash256> ids() {
        return new HashSet<>(entries.keySet());
    }

    int size() {
        return entries.size();
    }

    long bytes() {
        return bytes;
    }

    /** All entries, by transaction id. */
    Collection<Entry> all() {
        return entries.values();
    }

    /** Transactions that pay or spend {@code script}, by transaction id. */
    List<Pending> ofScript(Bytes script) {
        return byScript.getOrDefault(script, Set.of()).stream()
                .sorted(Comparator.comparing(Entry::txId))
                .map(entry -> new Pending(entry.txId(), entry.tx(), entry.spent()))
                .toList();
    }

    /** A snapshot in the order in which a miner takes them. */
    List<Entry> bestFirst() {
        return new ArrayList<>(byDensity);
    }

    /**
     * Adds a validated transaction; when the pool is full, the worst entry is evicted.
     *
     * @return the evicted entries
     * @throws RejectedException when the pool is full and the entry is no better than its worst
     */
    List<Entry> add(Entry entry) {
        List<Entry> evicted = new ArrayList<>();
        while (entries.size() >= MAX_TRANSACTIONS || bytes + entry.size() > MAX_BYTES) {
            Entry worst = byDensity.last();
            if (entry.density().compareTo(worst.density()) <= 0) {
                evicted.forEach(this::link);
                throw new RejectedException("Mempool rejected transaction: fee density too low for mempool");
            }
            evicted.add(worst);
            remove(worst);
        }
        link(entry);
        return evicted;
    }

    private void link(Entry entry) {
        entries.put(entry.txId(), entry);
        byDensity.add(entry);
        bytes += entry.size();
        entry.tx().inputs().forEach(input -> spenders.put(input, entry));
        entry.touches()
                .forEach(script ->
                        byScript.computeIfAbsent(script, s -> new HashSet<>()).add(entry));
    }

    void remove(Entry entry) {
        if (entries.remove(entry.txId()) == null) {
            return;
        }
        byDensity.remove(entry);
        bytes -= entry.size();
        entry.tx().inputs().forEach(spenders::remove);
        for (Bytes script : entry.touches()) {
            byScript.computeIfPresent(script, (s, listed) -> {
                listed.remove(entry);
                return listed.isEmpty() ? null : listed;
            });
        }
    }
}
