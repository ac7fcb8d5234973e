package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.StateTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.ledger.LedgerView.Listing;
import org.chainwalletd.devnet.ledger.LedgerView.Located;
import org.chainwalletd.devnet.ledger.LedgerView.PendingListing;
import org.chainwalletd.devnet.ledger.LedgerView.SpentBy;
import org.chainwalletd.devnet.ledger.LedgerView.Statistics;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.Validator.Texts;

/**
 * Chain with its mempool. Thread-safe: every method reads and leaves a consistent state. Only the {@link Miner} moves the tip.
 */
public final class Ledger {
    /** Minimum inputs of a transaction whose check takes long enough for a block to overtake it. */
    static final int OVERTAKEN_INPUTS = 40;

    private final ChainProfile profile;
    private final Effort effort;
    private final Hash256 genesisId;
    private final Listener listener;
    private final Validator validator;
    private final ChainState chain;
    private final Mempool mempool = new Mempool();
    private long blocksAccepted;
    private long reorgsApplied;
    private long blocksUndone;
    /** Transactions pending when the tip last moved: the next block was assembled then. */
    private Set<Hash256> assembled = new HashSet<>();
    /** Addresses affected by the change under way; repeated when it affects one several times. */
    private final List<Address> touched = new ArrayList<>();
    /** Whether blocks also include transactions that arrived after they were assembled. */
    private volatile boolean prompt;

    /** The last branch that a restored block was mined on: later branches must differ from all recorded ones. */
    private long restoredBranch;

    /** Tip that callers see; during a reorganisation the chain's own tip runs ahead of it. */
    private volatile Tip tip;

    /** A chain that consists of the genesis block of {@code profile}'s development network. */
    public Ledger(ChainProfile profile, Effort effort, Listener listener) {
        Block genesis = Genesis.block(profile, effort);
        this.profile = profile;
        this.effort = effort;
        this.genesisId = genesis.id();
        this.listener = listener;
        this.validator = new Validator(profile, effort.network(), genesisId);
        this.chain = new ChainState(profile);
        BlockDraft draft = draft(0);
        draft.addCoinbase(genesis.transactions().get(0));
        chain.connect(draft.finish(genesis), draft.stateAfter(chain.state()));
        tip = tipOf(chain.tip());
    }

    public ChainProfile profile() {
        return profile;
    }

    public Hash256 genesisId() {
        return genesisId;
    }

    /** Network that the node reports. */
    public Network network() {
        return effort.network();
    }

    Effort effort() {
        return effort;
    }

    synchronized long restoredBranch() {
        return restoredBranch;
    }

    /** The current tip, without waiting for a change under way. */
    public Tip tip() {
        return tip;
    }

    /**
     * Up to {@code limit} outputs of {@code script} after {@code after} (null: from the first).
     *
     * @param expected when not null, the tip's id on which a listing began
     * @throws RejectedException when the tip is another one by now
     */
    public synchronized Listing list(Bytes script, Outpoint after, Hash256 expected, int limit) {
        if (expected != null && !expected.equals(tip.id())) {
            throw new RejectedException("pagination snapshot expired, restart from cursor=None");
        }
        NavigableMap<Outpoint, Coin> coins = chain.coins().ofScript(script);
        List<Coin> page = new ArrayList<>();
        for (Coin coin : (after == null ? coins : coins.tailMap(after, false)).values()) {
            if (!coin.isMatureAt(tip.height() + 1, effort.network())) {
                continue;
            }
            if (page.size() == limit) {
                return new Listing(tip, page, true);
            }
            page.add(coin);
        }
        return new Listing(tip, page, false);
    }

    /** Unconfirmed transactions that pay or spend {@code script}, by transaction id. */
    public synchronized PendingListing pendingOf(Bytes script) {
        return new PendingListing(tip, mempool.ofScript(script));
    }

    /** The first {@code most} mature outputs of {@code script} that no unconfirmed transaction spends. */
    synchronized List<Coin> free(Bytes script, int most) {
        return chain.coins().ofScript(script).values().stream()
                .filter(coin -> coin.isMatureAt(nextHeight(), effort.network()) && !mempool.spends(coin.outpoint()))
                .limit(most)
                .toList();
    }

    /** The block of the best chain at {@code height}. */
    public synchronized Optional<ConnectedBlock> blockAt(long height) {
        return Optional.ofNullable(chain.at(height));
    }

    /** Any block that was ever part of the best chain. */
    public synchronized Optional<ConnectedBlock> block(Hash256 id) {
        return Optional.ofNullable(chain.stored(id));
    }

    /** A transaction of the mempool or of the best chain. */
    public synchronized Optional<Located> transaction(Hash256 txId) {
        Mempool.Entry pending = mempool.get(txId);
        if (pending != null) {
            return Optional.of(new Located(pending.tx(), null, 0));
        }
        ChainState.Place place = chain.place(txId);
        if (place == null) {
            return Optional.empty();
        }
        ConnectedBlock block = chain.at(place.height());
        return Optional.of(new Located(block.block().transactions().get(place.index()), block.id(), block.height()));
    }

    /** The confirmed spend of an output on the best chain. */
    public synchronized Optional<SpentBy> spentBy(Outpoint outpoint) {
        return Optional.ofNullable(chain.spend(outpoint));
    }

    public synchronized Statistics statistics() {
        return new Statistics(tip, mempool.size(), mempool.bytes(), blocksAccepted, reorgsApplied, blocksUndone);
    }

    /**
     * Whether a block takes everything that is pending when it is mined. A real node assembles its block when the previous one arrives
     * (chain protocol, section 17), so that a transaction is still pending after the next block; that is what {@code false} does.
     */
    public void prompt(boolean on) {
        prompt = on;
    }

    /** Puts this pending transaction into the next block, regardless of its arrival. */
    synchronized void prefer(Hash256 txId) {
        assembled.add(txId);
    }

    /** Forgets all unconfirmed transactions, as a node does when it restarts. */
    public synchronized void forgetMempool() {
        List.copyOf(mempool.all()).forEach(this::drop);
        tell(null);
    }

    /**
     * Admits a transaction to the mempool, with the checks of {@code send_raw_transaction} in their order (section 10.4). The checks run
     * concurrently with new blocks; a large transaction overtaken by a block is refused, as by a real node (section 17).
     *
     * @return its id
     * @throws RejectedException with a node's error text
     * @throws TipChangedException when a block arrived meanwhile
     */
    public Hash256 submit(Transaction tx) {
        return insert(check(tx));
    }

    /** Transaction validated on top of {@code tip}. */
    record Checked(Hash256 txId, Transaction tx, Validator.Verdict verdict, Tip tip) {}

    /** The part of {@link #submit} that takes long. */
    Checked check(Transaction tx) {
        Hash256 txId = TransactionCodec.txId(profile, tx);
        synchronized (this) {
            requireNew("Mempool pre-check failed: ", txId, tx);
            if (tx.isCoinbase()) {
                throw new RejectedException("Mempool pre-check failed: coinbase transactions not allowed");
            }
        }
        Tip begun = tip;
        return new Checked(txId, tx, validated(tx, this::coin, begun.height() + 1), begun);
    }

    private synchronized Coin coin(Outpoint outpoint) {
        return chain.coins().get(outpoint);
    }

    /** The part of {@link #submit} that must not run concurrently with a block. */
    synchronized Hash256 insert(Checked checked) {
        Transaction tx = checked.tx();
        Validator.Verdict verdict = checked.verdict();
        if (!checked.tip().id().equals(tip.id())) {
            if (tx.inputs().size() >= OVERTAKEN_INPUTS) {
                throw new TipChangedException();
            }
            verdict = validated(tx, chain.coins()::get, nextHeight());
        }
        requireNew("Mempool rejected transaction: ", checked.txId(), tx);
        admit(Mempool.Entry.of(checked.txId(), tx, verdict));
        tell(null);
        return checked.txId();
    }

    /** Slow; needs no lock except that of {@code coins}. */
    private Validator.Verdict validated(Transaction tx, Function<Outpoint, Coin> coins, long height) {
        try {
            return validator.validate(tx, coins, height);
        } catch (RejectedException e) {
            throw new RejectedException("Transaction validation failed: " + e.getMessage());
        }
    }

    private void requireNew(String stage, Hash256 txId, Transaction tx) {
        if (mempool.get(txId) != null) {
            throw new RejectedException(stage + "transaction already in mempool");
        }
        for (Outpoint input : tx.inputs()) {
            if (mempool.spends(input)) {
                throw new RejectedException(stage + "double-spend of " + Texts.of(input));
            }
        }
    }

    private void admit(Mempool.Entry entry) {
        List<Mempool.Entry> evicted = mempool.add(entry);
        touch(entry.touches());
        evicted.forEach(out -> touch(out.touches()));
    }

    private void drop(Mempool.Entry entry) {
        mempool.remove(entry);
        touch(entry.touches());
    }

    /** Ignores scripts that are not addresses. */
    private void touch(Collection<Bytes> scripts) {
        for (Bytes script : scripts) {
            if (script.length() == Address.LENGTH) {
                touched.add(Address.of(script.toArray()));
            }
        }
    }

    /** Ends a change. */
    private void tell(Long newTip) {
        listener.changed(List.copyOf(touched), newTip);
        touched.clear();
    }

    /**
     * Work for a miner: a draft on the current tip, with the transactions in the order in which it takes them. Drops those that are no longer
     * valid and skips those too large for the space left.
     */
    synchronized Work work() {
        Work work = emptyWork();
        long room = ChainProfile.MAX_BLOCK_BYTES - Miner.RESERVED_BLOCK_BYTES;
        for (Mempool.Entry entry : mempool.bestFirst()) {
            if (entry.size() > room || !prompt && !assembled.contains(entry.txId())) {
                continue;
            }
            try {
                work.draft().add(entry.tx());
                room -= entry.size();
            } catch (RejectedException e) {
                drop(entry);
            }
        }
        tell(null);
        return work;
    }

    /** An empty draft on the current tip. */
    synchronized Work emptyWork() {
        return new Work(draft(nextHeight()), chain.tip(), nextTarget(), chain.medianTime(), chain.state());
    }

    /** Everything a block on top of {@code parent} depends on. */
    record Work(BlockDraft draft, ConnectedBlock parent, Hash256 target, long medianTime, StateTree stateBefore) {}

    private Hash256 nextTarget() {
        Hash256 inherited = chain.tip().block().header().target();
        long height = nextHeight();
        return effort.isReal() && Difficulty.adjustsAt(height)
                ? Difficulty.adjust(
                        effort.network(),
                        inherited,
                        chain.at(height - Difficulty.WINDOW).timestamp(),
                        chain.tip().timestamp())
                : inherited;
    }

    private long nextHeight() {
        return chain.tip().height() + 1;
    }

    private BlockDraft draft(long height) {
        return new BlockDraft(profile, validator, chain.coins(), height);
    }

    /** Makes {@code block} the tip; it must have been drafted on the current one. */
    synchronized void connect(ConnectedBlock block, StateTree stateAfter) {
        apply(block, stateAfter);
        tip = tipOf(chain.tip());
        settle();
        assembled = mempool.ids();
        touch(scriptsOf(block));
        tell(tip.height());
    }

    /** After the tip moved: removes confirmed and conflicting transactions, validates the others again at the new height. */
    private void settle() {
        for (Mempool.Entry entry : List.copyOf(mempool.all())) {
            try {
                validator.validate(entry.tx(), chain.coins()::get, nextHeight());
            } catch (RejectedException e) {
                drop(entry);
            }
        }
    }

    /**
     * Connects a block of this chain read from the archive; checks its structure, not its signatures.
     *
     * @throws IllegalStateException when it does not fit onto the tip
     */
    public synchronized void restore(Block block) {
        BlockRules.checkHeader(profile, block, chain.tip(), nextTarget(), chain.medianTime());
        BlockDraft draft = draft(block.header().height());
        draft.addCoinbase(block.transactions().get(0));
        block.transactions().stream().skip(1).forEach(draft::addTrusted);
        BlockRules.checkReward(block, draft.fees());
        apply(draft.finish(block), draft.stateAfter(chain.state()));
        restoredBranch = Math.max(restoredBranch, effort.branch(block.header().nonce()));
        tip = tipOf(chain.tip());
    }

    /**
     * Disconnects blocks before another branch is restored.
     *
     * @throws IllegalStateException when there are fewer blocks
     */
    public synchronized void restoreDisconnect(int depth) {
        if (depth < 1 || depth > tip.height()) {
            throw new IllegalStateException("cannot disconnect " + depth + " of " + tip.height() + " blocks");
        }
        for (int i = 0; i < depth; i++) {
            chain.disconnect();
        }
        tip = tipOf(chain.tip());
    }

    /** The root over all unspent outputs; slow on a large chain that was just restored. */
    public Hash256 stateRoot() {
        StateTree state;
        synchronized (this) {
            state = chain.state();
        }
        return state.root();
    }

    private void apply(ConnectedBlock block, StateTree stateAfter) {
        if (!block.block().header().previousId().equals(chain.tip().id())) {
            throw new IllegalStateException("block " + block.id() + " is not built on the tip");
        }
        chain.connect(block, stateAfter);
        blocksAccepted++;
    }

    /**
     * Replaces the last {@code depth} blocks by the blocks of {@code branch}, as one change of the tip.
     *
     * @param keepTransactions whether the transactions of the disconnected blocks go back to the mempool, as far as they are still valid
     * @throws RejectedException when the branch cannot be built; the chain is unchanged
     */
    synchronized void reorganise(int depth, boolean keepTransactions, Branch branch) {
        long fork = tip.height() - depth;
        List<Undone> undone = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            undone.add(0, new Undone(chain.state(), chain.disconnect()));
        }
        try {
            branch.grow(this::apply);
        } catch (RejectedException e) {
            while (chain.tip().height() > fork) {
                chain.disconnect();
            }
            undone.forEach(block -> chain.connect(block.block(), block.stateAfter()));
            throw e;
        }
        afterReorganisation(fork, undone, keepTransactions);
    }

    private record Undone(StateTree stateAfter, ConnectedBlock block) {}

    /** Mines a branch on the current tip. */
    @FunctionalInterface
    interface Branch {
        void grow(Connector connector);
    }

    @FunctionalInterface
    interface Connector {
        void connect(ConnectedBlock block, StateTree stateAfter);
    }

    private void afterReorganisation(long fork, List<Undone> undone, boolean keepTransactions) {
        tip = tipOf(chain.tip());
        reorgsApplied++;
        blocksUndone += undone.size();
        settle();
        Set<Bytes> scripts = new LinkedHashSet<>();
        for (Undone old : undone) {
            scripts.addAll(scriptsOf(old.block()));
            List<Transaction> transactions = old.block().block().transactions();
            if (keepTransactions) {
                transactions.subList(1, transactions.size()).forEach(this::putBack);
            }
        }
        for (long height = fork + 1; height <= tip.height(); height++) {
            scripts.addAll(scriptsOf(chain.at(height)));
        }
        assembled = mempool.ids();
        touch(scripts);
        tell(tip.height());
    }

    /** Returns a transaction of a disconnected block to the mempool if it is still valid. */
    private void putBack(Transaction tx) {
        Hash256 txId = TransactionCodec.txId(profile, tx);
        if (mempool.get(txId) != null || tx.inputs().stream().anyMatch(mempool::spends)) {
            return;
        }
        try {
            admit(Mempool.Entry.of(txId, tx, validator.validate(tx, chain.coins()::get, nextHeight())));
        } catch (RejectedException e) {
            // The new branch has spent its inputs, or its lock time is not reached yet.
        }
    }

    private static Set<Bytes> scriptsOf(ConnectedBlock block) {
        Set<Bytes> scripts = new LinkedHashSet<>();
        for (Transaction tx : block.block().transactions()) {
            tx.outputs().forEach(output -> scripts.add(output.script()));
        }
        block.spent().forEach(coin -> scripts.add(coin.output().script()));
        return scripts;
    }

    private static Tip tipOf(ConnectedBlock block) {
        return new Tip(block.height(), block.id(), block.timestamp());
    }

    /** A block arrived while a transaction was checked; when resubmitted, it is checked against the new tip (chain protocol, section 10.4). */
    public static final class TipChangedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TipChangedException() {
            super("Tip changed during validation, try again", null, false, false);
        }
    }

    /** Receives every change in order. Called under the ledger's lock, so it must return at once. */
    @FunctionalInterface
    public interface Listener {
        /**
         * @param scripts addresses whose mempool or confirmed state changed; repeated when one address changed several times
         * @param tip height of the new tip, or null when the tip has not changed
         */
        void changed(List<Address> scripts, Long tip);
    }
}
