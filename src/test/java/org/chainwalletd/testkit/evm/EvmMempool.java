package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/** Transactions that wait for a block: at most one for each sender and nonce, replaced only by one that pays a tenth more in both fees. */
final class EvmMempool {
    static final int MOST = 5_000;
    private static final BigInteger TEN = BigInteger.TEN;
    private static final BigInteger ELEVEN = BigInteger.valueOf(11);

    private final Map<EvmAddress, TreeMap<Long, SignedTransaction>> waiting = new LinkedHashMap<>();
    private final Map<Hash256, SignedTransaction> byHash = new HashMap<>();

    /** Takes a transaction in, in place of the one with its nonce. */
    void add(SignedTransaction tx) {
        if (byHash.containsKey(tx.hash())) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "transaction already imported");
        }
        TreeMap<Long, SignedTransaction> own = waiting.computeIfAbsent(tx.from(), any -> new TreeMap<>());
        SignedTransaction before = own.get(tx.nonce());
        if (before != null
                && !(aTenthAbove(tx.maxFee(), before.maxFee())
                        && aTenthAbove(tx.maxPriorityFee(), before.maxPriorityFee()))) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "replacement transaction underpriced");
        }
        if (before == null && byHash.size() >= MOST) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "txpool is full");
        }
        if (before != null) {
            byHash.remove(before.hash());
        }
        own.put(tx.nonce(), tx);
        byHash.put(tx.hash(), tx);
    }

    private static boolean aTenthAbove(BigInteger now, BigInteger before) {
        return now.multiply(TEN).compareTo(before.multiply(ELEVEN)) >= 0;
    }

    Optional<SignedTransaction> find(Hash256 hash) {
        return Optional.ofNullable(byHash.get(hash));
    }

    Optional<SignedTransaction> find(EvmAddress from, long nonce) {
        return Optional.ofNullable(waiting.getOrDefault(from, new TreeMap<>()).get(nonce));
    }

    boolean remove(Hash256 hash) {
        SignedTransaction tx = byHash.remove(hash);
        if (tx == null) {
            return false;
        }
        waiting.get(tx.from()).remove(tx.nonce(), tx);
        return true;
    }

    void clear() {
        waiting.clear();
        byHash.clear();
    }

    /** Removes what can never be mined any more: its nonce is used. */
    void dropUsed(World world) {
        List<SignedTransaction> used = byHash.values().stream()
                .filter(tx -> tx.nonce() < world.nonce(tx.from()))
                .toList();
        used.forEach(tx -> remove(tx.hash()));
    }

    List<SignedTransaction> all() {
        return List.copyOf(byHash.values());
    }

    /** The first nonce from {@code next} on for which nothing waits. */
    long nextNonce(EvmAddress from, long next) {
        TreeMap<Long, SignedTransaction> own = waiting.getOrDefault(from, new TreeMap<>());
        long nonce = next;
        while (own.containsKey(nonce)) {
            nonce++;
        }
        return nonce;
    }

    /** The order of a block: highest tip first, and the nonces of a sender without a gap. What does not pay the base fee waits, with what follows it. */
    List<SignedTransaction> inOrder(World world, BigInteger baseFee) {
        Map<EvmAddress, Long> next = new HashMap<>();
        List<SignedTransaction> order = new ArrayList<>();
        while (true) {
            Optional<SignedTransaction> best = waiting.entrySet().stream()
                    .map(own -> own.getValue().get(next.getOrDefault(own.getKey(), world.nonce(own.getKey()))))
                    .filter(tx -> tx != null && tx.tip(baseFee).signum() >= 0)
                    .max(Comparator.comparing((SignedTransaction tx) -> tx.tip(baseFee))
                            .thenComparing(SignedTransaction::hash));
            if (best.isEmpty()) {
                return order;
            }
            order.add(best.get());
            next.put(best.get().from(), best.get().nonce() + 1);
        }
    }
}
