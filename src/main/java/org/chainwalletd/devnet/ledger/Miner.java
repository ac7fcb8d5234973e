package org.chainwalletd.devnet.ledger;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.chain.StateTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;

/**
 * Makes the blocks of a {@link Ledger}; the only class that moves its tip, one change at a time. There is no proof of work: the target stays
 * all ones and the nonce is free. It counts the branch a block was mined on, so that an empty block of a new branch differs from the one
 * it replaces.
 */
public final class Miner {
    /** Block space reserved from mempool transactions. */
    static final int RESERVED_BLOCK_BYTES = 400;

    private final Ledger ledger;
    private final BlockLog archive;
    private final Address address;
    private final InstantSource clock;
    private long branch;
    private boolean finished;
    private volatile boolean idle;

    public Miner(Ledger ledger, BlockLog archive, Address address, InstantSource clock) {
        this.ledger = ledger;
        this.archive = archive;
        this.address = address;
        this.clock = clock;
        this.branch = ledger.restoredBranch();
    }

    /**
     * Mines blocks from the mempool, with timestamps up to the wall clock.
     *
     * @return their ids, the tip last
     */
    public synchronized List<Hash256> mine(int count) {
        List<Hash256> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Ledger.Work work = ledger.work();
            long time = BlockTiming.next(work.parent().timestamp(), work.medianTime(), now());
            ids.add(seal(work, time).id());
        }
        return ids;
    }

    /** The first blocks of a new chain: their times are spread evenly between genesis and now. */
    public synchronized void mineHistory(int count) {
        for (int remaining = count; remaining > 0; remaining--) {
            Ledger.Work work = ledger.work();
            seal(work, BlockTiming.spread(work.parent().timestamp(), work.medianTime(), now(), remaining));
        }
    }

    /**
     * Replaces the last {@code depth} blocks by {@code depth + 1} new ones.
     *
     * @param keepTransactions whether the transactions of the disconnected blocks go back to the mempool
     * @param conflicts transactions that the first new block confirms, even if they conflict with those of the old blocks
     * @return the ids of the new blocks, the tip last
     * @throws RejectedException when the genesis block would be disconnected, or a conflicting transaction is not valid; the chain is unchanged
     */
    public synchronized List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts) {
        long height = ledger.tip().height();
        if (depth < 1 || depth > height) {
            throw new RejectedException("depth must be between 1 and " + height + ", the height of the tip");
        }
        branch++;
        List<ConnectedBlock> blocks = new ArrayList<>(depth + 1);
        ledger.reorganise(depth, keepTransactions, connector -> {
            for (int i = 0; i <= depth; i++) {
                Ledger.Work work = ledger.emptyWork();
                if (i == 0) {
                    conflicts.forEach(work.draft()::add);
                }
                long time = BlockTiming.next(work.parent().timestamp(), work.medianTime(), now());
                blocks.add(connect(work, time, connector));
            }
        });
        archive.disconnect(depth);
        blocks.forEach(block -> archive.append(block.block()));
        return blocks.stream().map(ConnectedBlock::id).toList();
    }

    /** Switches to blocks without proof of work, or back to blocks with the work that the chain requires. */
    public void idle(boolean on) {
        idle = on;
    }

    /** Waits for a change under way and refuses later ones, so that the archive can be closed. */
    public synchronized void finish() {
        finished = true;
    }

    private ConnectedBlock seal(Ledger.Work work, long time) {
        return connect(work, time, (block, stateAfter) -> {
            archive.append(block.block());
            ledger.connect(block, stateAfter);
        });
    }

    private ConnectedBlock connect(Ledger.Work work, long time, Ledger.Connector connector) {
        if (finished) {
            throw new RejectedException("the development node is closed");
        }
        BlockDraft draft = work.draft();
        draft.addCoinbase(coinbase(draft));
        StateTree stateAfter = draft.stateAfter(work.stateBefore());
        BlockHeader draftHeader = new BlockHeader(
                BlockHeader.VERSION,
                draft.height(),
                work.parent().id(),
                time,
                work.target(),
                ledger.effort().firstNonce(branch),
                txRoot(draft),
                stateAfter.root());
        ConnectedBlock block = draft.finish(new Block(sealed(draftHeader), draft.transactions()));
        connector.connect(block, stateAfter);
        return block;
    }

    private BlockHeader sealed(BlockHeader draft) {
        if (!ledger.effort().isReal()) {
            return draft;
        }
        return Effort.sealed(ledger.profile(), draft, !idle);
    }

    private Hash256 txRoot(BlockDraft draft) {
        ChainProfile profile = ledger.profile();
        return MerkleTree.root(
                profile,
                draft.transactions().stream()
                        .map(tx -> TransactionCodec.witnessTxId(profile, tx))
                        .toList());
    }

    private Transaction coinbase(BlockDraft draft) {
        TxOutput reward = TxOutput.toAddress(address, Reward.at(draft.height()).plus(draft.fees()));
        Outpoint none = new Outpoint(Hash256.ZERO, draft.height() & Outpoint.MAX_INDEX);
        return new Transaction(List.of(none), List.of(reward), List.of(Witness.EMPTY));
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }

    /** Timestamps of mined blocks (chain protocol, section 9.6). Unix seconds. */
    static final class BlockTiming {
        private BlockTiming() {}

        /**
         * The wall clock, clamped to the rules: above the median, and not more than seven days above the parent, so the first blocks
         * advance step by step from genesis.
         */
        static long next(long parent, long median, long wallClock) {
            return Math.max(median + 1, Math.min(wallClock, parent + ChainState.MAX_STEP_SECONDS));
        }

        /** As {@link #next}, but spread evenly when {@code remaining} blocks are mined in one batch up to the wall clock. */
        static long spread(long parent, long median, long wallClock, int remaining) {
            long step = Math.max(0, (wallClock - parent) / remaining);
            return next(parent, median, parent + step);
        }
    }
}
