package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/** State of the chain: blocks, mempool, finality, reorganisations. Thread-safe. */
class EvmLedger {
    private static final int MOST_AT_ONCE = 10_000;

    private final BigInteger chainId;
    private final InstantSource clock;
    private final List<EvmBlock> chain = new ArrayList<>();
    /** All blocks ever made, including those that were removed. */
    private final Map<Hash256, EvmBlock> known = new HashMap<>();

    private final EvmMempool mempool = new EvmMempool();
    private BigInteger baseFee = BigInteger.valueOf(1_000_000_000);
    private OptionalLong nextTime = OptionalLong.empty();
    private BigInteger leastTip = BigInteger.ZERO;
    private int safeDepth = 1;
    private int finalDepth = 2;
    private OptionalLong pinnedSafe = OptionalLong.empty();
    private OptionalLong pinnedFinal = OptionalLong.empty();
    private long salt;

    EvmLedger(BigInteger chainId, InstantSource clock, World genesis) {
        this.chainId = chainId;
        this.clock = clock;
        append(EvmBlock.seal(0, Hash256.ZERO, clock.instant().getEpochSecond(), baseFee, salt, List.of(), genesis));
    }

    BigInteger chainId() {
        return chainId;
    }

    public synchronized EvmBlock head() {
        return chain.get(chain.size() - 1);
    }

    public synchronized Optional<EvmBlock> block(long number) {
        return number < 0 || number >= chain.size() ? Optional.empty() : Optional.of(chain.get((int) number));
    }

    synchronized Optional<EvmBlock> block(Hash256 hash) {
        return Optional.ofNullable(known.get(hash));
    }

    synchronized boolean isCanonical(EvmBlock block) {
        return block(block.number()).equals(Optional.of(block));
    }

    synchronized EvmBlock safe() {
        return chain.get((int) Math.min(head().number(), pinnedSafe.orElse(Math.max(0, head().number() - safeDepth))));
    }

    synchronized EvmBlock finalized() {
        return chain.get(
                (int) Math.min(head().number(), pinnedFinal.orElse(Math.max(0, head().number() - finalDepth))));
    }

    /** Sets how many blocks {@code safe} and {@code finalized} are behind the tip from now on. */
    public synchronized void finality(int newSafeDepth, int newFinalDepth) {
        safeDepth = newSafeDepth;
        finalDepth = newFinalDepth;
        pinnedSafe = OptionalLong.empty();
        pinnedFinal = OptionalLong.empty();
    }

    /** Fixes {@code safe} and {@code finalized} at these blocks. */
    public synchronized void pinFinality(long safeNumber, long finalNumber) {
        pinnedSafe = OptionalLong.of(safeNumber);
        pinnedFinal = OptionalLong.of(finalNumber);
    }

    /** Sets the base fee of every block from the next one on, in wei per gas. */
    public synchronized void baseFee(BigInteger wei) {
        baseFee = wei;
    }

    synchronized BigInteger baseFee() {
        return baseFee;
    }

    /** Simulates blocks full of other transactions: a transaction with a smaller tip than this is not mined. */
    public synchronized void crowded(BigInteger wei) {
        leastTip = wei;
    }

    /** Sets the time of the next block only. */
    public synchronized void nextTime(long unixSeconds) {
        if (unixSeconds < head().time()) {
            throw new IllegalArgumentException("a block is not older than its parent");
        }
        nextTime = OptionalLong.of(unixSeconds);
    }

    /** Creates wei for an address, in a separate block. */
    public synchronized void fund(EvmAddress to, BigInteger wei) {
        World world = head().world().copy();
        world.balance(to, world.balance(to).add(wei));
        append(draft(world, List.of()));
    }

    /** Adds a raw transaction to the mempool directly, not over HTTP; returns its hash. */
    public synchronized Hash256 submit(Bytes raw) {
        SignedTransaction tx;
        try {
            tx = SignedTransaction.decode(raw);
        } catch (IllegalArgumentException e) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "Failed to decode transaction");
        }
        check(tx);
        mempool.add(tx);
        return tx.hash();
    }

    private void check(SignedTransaction tx) {
        World world = head().world();
        if (!tx.chainId().equals(chainId)) {
            throw new EvmRefusal(EvmRefusal.SERVER, "invalid chain id for signer");
        }
        if (tx.nonce() < world.nonce(tx.from())) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "nonce too low");
        }
        if (tx.gas() > EvmBlock.GAS_LIMIT) {
            throw new EvmRefusal(EvmRefusal.SERVER, "intrinsic gas too high -- tx.gas_limit > env.block.gas_limit");
        }
        if (tx.gas() < EvmExecution.intrinsicGas(tx.data(), tx.to().isEmpty())) {
            throw new EvmRefusal(EvmRefusal.SERVER, "intrinsic gas too low");
        }
        if (tx.maxFee().compareTo(baseFee) < 0) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "max fee per gas less than block base fee");
        }
        if (tx.maxPriorityFee().compareTo(tx.maxFee()) > 0) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "max priority fee per gas higher than max fee per gas");
        }
        if (world.balance(tx.from()).compareTo(tx.cost()) < 0) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "Insufficient funds for gas * price + value");
        }
        if (!world.code(tx.from()).isEmpty()) {
            throw new EvmRefusal(EvmRefusal.REJECTED, "sender is not an EOA");
        }
    }

    /** Returns the block that would be mined next from the mempool; it is not part of the chain. */
    synchronized EvmBlock pending() {
        return build(any -> true);
    }

    /** Mines all transactions of the mempool that pay the base fee. */
    public synchronized EvmBlock mine() {
        return mineOnly(any -> true);
    }

    /** Mines a block with only those transactions of the mempool that {@code wanted} accepts. */
    synchronized EvmBlock mineOnly(Predicate<SignedTransaction> wanted) {
        EvmBlock mined = append(build(wanted));
        nextTime = OptionalLong.empty();
        mempool.dropUsed(mined.world());
        return mined;
    }

    public synchronized EvmBlock mine(int blocks) {
        if (blocks > MOST_AT_ONCE) {
            throw new IllegalArgumentException("at most " + MOST_AT_ONCE + " blocks at once");
        }
        for (int i = 0; i < blocks; i++) {
            mine();
        }
        return head();
    }

    /**
     * Replaces the last {@code depth} blocks by {@code blocks} others, atomically for concurrent callers. Transactions of the old blocks that
     * {@code kept} accepts return to the mempool; the others are dropped. The new blocks contain the ones that {@code mined} accepts.
     */
    synchronized void reorganise(
            int depth, int blocks, Predicate<SignedTransaction> kept, Predicate<SignedTransaction> mined) {
        if (depth < 1 || depth >= chain.size()) {
            throw new IllegalArgumentException("cannot take back " + depth + " of " + chain.size() + " blocks");
        }
        List<SignedTransaction> undone = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            chain.remove(chain.size() - 1).receipts().forEach(receipt -> undone.add(receipt.tx()));
        }
        for (SignedTransaction tx : undone) {
            if (kept.test(tx) && mempool.find(tx.from(), tx.nonce()).isEmpty()) {
                mempool.add(tx);
            }
        }
        for (int i = 0; i < blocks; i++) {
            mineOnly(mined);
        }
    }

    synchronized boolean forget(Hash256 hash) {
        return mempool.remove(hash);
    }

    public synchronized void forgetAll() {
        mempool.clear();
    }

    public synchronized List<SignedTransaction> waiting() {
        return mempool.all();
    }

    synchronized Optional<SignedTransaction> waiting(Hash256 hash) {
        return mempool.find(hash);
    }

    synchronized long nextNonce(EvmAddress from) {
        return mempool.nextNonce(from, head().world().nonce(from));
    }

    /** Returns the block, up to block {@code upTo}, that contains a transaction. */
    synchronized Optional<EvmBlock> including(Hash256 hash, long upTo) {
        for (int i = (int) Math.min(upTo, head().number()); i >= 0; i--) {
            EvmBlock block = chain.get(i);
            if (block.receipts().stream()
                    .anyMatch(receipt -> receipt.tx().hash().equals(hash))) {
                return Optional.of(block);
            }
        }
        return Optional.empty();
    }

    private EvmBlock build(Predicate<SignedTransaction> wanted) {
        World parent = head().world();
        List<SignedTransaction> order =
                mempool.inOrder(parent, baseFee).stream().filter(wanted).toList();
        if (order.isEmpty()) {
            return draft(parent, List.of());
        }
        World world = parent.copy();
        List<EvmReceipt> receipts = new ArrayList<>();
        long gas = 0;
        for (SignedTransaction tx : order) {
            boolean fits = gas + tx.gas() <= EvmBlock.GAS_LIMIT
                    && tx.tip(baseFee).compareTo(leastTip) >= 0
                    && tx.nonce() == world.nonce(tx.from())
                    && world.balance(tx.from()).compareTo(tx.cost()) >= 0;
            if (fits) {
                receipts.add(EvmExecution.include(world, tx, baseFee, time(), receipts));
                gas += receipts.get(receipts.size() - 1).gasUsed();
            }
        }
        return draft(world, receipts);
    }

    private EvmBlock draft(World world, List<EvmReceipt> receipts) {
        EvmBlock parent = head();
        return EvmBlock.seal(parent.number() + 1, parent.hash(), time(), baseFee, salt, receipts, world);
    }

    /** Returns the time of the next block: the one set for it, otherwise the clock's, and never before its parent's. */
    private long time() {
        return nextTime.orElse(Math.max(head().time(), clock.instant().getEpochSecond()));
    }

    private EvmBlock append(EvmBlock block) {
        salt++;
        chain.add(block);
        known.put(block.hash(), block);
        return block;
    }

    /** Mempool with at most one transaction for each sender and nonce, replaced only by one that pays a tenth more in both fees. */
    private static final class EvmMempool {
        static final int MOST = 5_000;
        private static final BigInteger TEN = BigInteger.TEN;
        private static final BigInteger ELEVEN = BigInteger.valueOf(11);

        private final Map<EvmAddress, TreeMap<Long, SignedTransaction>> waiting = new LinkedHashMap<>();
        private final Map<Hash256, SignedTransaction> byHash = new HashMap<>();

        /** Adds a transaction, which replaces the one with the same nonce. */
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
            return Optional.ofNullable(
                    waiting.getOrDefault(from, new TreeMap<>()).get(nonce));
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

        /** Removes transactions that can never be mined, because their nonce is used. */
        void dropUsed(World world) {
            List<SignedTransaction> used = byHash.values().stream()
                    .filter(tx -> tx.nonce() < world.nonce(tx.from()))
                    .toList();
            used.forEach(tx -> remove(tx.hash()));
        }

        List<SignedTransaction> all() {
            return List.copyOf(byHash.values());
        }

        /** Returns the first nonce from {@code next} on without a transaction. */
        long nextNonce(EvmAddress from, long next) {
            TreeMap<Long, SignedTransaction> own = waiting.getOrDefault(from, new TreeMap<>());
            long nonce = next;
            while (own.containsKey(nonce)) {
                nonce++;
            }
            return nonce;
        }

        /**
         * Returns transactions in the order of a block: highest tip first, without gaps in a sender's nonces. A transaction that does not pay the
         * base fee waits, as do the sender's later ones.
         */
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
}
