package org.chainwalletd.devnet.ledger;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
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
 * Makes the blocks of a {@link Ledger}; the only one that moves its tip, one change at a time. There is no proof of work: the target stays
 * all ones and the nonce is free. It counts the branch a block was mined on, so that an empty block of a new branch differs from the one
 * it replaces.
 */
public final class Miner {
    /** Space of a block that is not for transactions of the mempool. */
    static final int RESERVED_BLOCK_BYTES = 400;

    private final Ledger ledger;
    private final BlockArchive archive;
    private final Address address;
    private final InstantSource clock;
    private long branch;

    public Miner(Ledger ledger, BlockArchive archive, Address address, InstantSource clock) {
        this.ledger = ledger;
        this.archive = archive;
        this.address = address;
        this.clock = clock;
    }

    /**
     * Blocks one after the other with what is in the mempool, up to the wall clock.
     *
     * @return their ids, the tip last
     */
    public synchronized List<Hash256> mine(int count) {
        List<Hash256> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Ledger.Work work = ledger.work(txId -> true);
            ids.add(connect(
                    work, BlockTiming.next(work.parent().timestamp(), work.medianTime(), now()), ledger::connect));
        }
        return ids;
    }

    /** The first blocks of a new chain: their times are spread evenly between genesis and now. */
    public synchronized void mineHistory(int count) {
        for (int remaining = count; remaining > 0; remaining--) {
            Ledger.Work work = ledger.work(txId -> true);
            long time = BlockTiming.spread(work.parent().timestamp(), work.medianTime(), now(), remaining);
            connect(work, time, ledger::connect);
        }
    }

    /**
     * Replaces the last {@code depth} blocks by {@code depth + 1} new ones.
     *
     * @param keepTransactions whether the transactions of the disconnected blocks go back to the mempool
     * @param conflicts transactions that the first new block confirms, whatever the old blocks said
     * @return the ids of the new blocks, the tip last
     * @throws RejectedException when the genesis block would go, or a conflicting transaction is not valid; nothing changes then
     */
    public synchronized List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts) {
        long height = ledger.tip().height();
        if (depth < 1 || depth > height) {
            throw new RejectedException("depth must be between 1 and " + height + ", the height of the tip");
        }
        branch++;
        List<Hash256> ids = new ArrayList<>(depth + 1);
        archive.disconnect(depth);
        ledger.reorganise(depth, keepTransactions, connector -> {
            for (int i = 0; i <= depth; i++) {
                Ledger.Work work = ledger.emptyWork();
                if (i == 0) {
                    conflicts.forEach(work.draft()::add);
                }
                long time = BlockTiming.next(work.parent().timestamp(), work.medianTime(), now());
                ids.add(connect(work, time, connector));
            }
        });
        return ids;
    }

    private Hash256 connect(Ledger.Work work, long time, Ledger.Connector connector) {
        BlockDraft draft = work.draft();
        draft.addCoinbase(coinbase(draft));
        StateTree stateAfter = draft.stateAfter(work.stateBefore());
        BlockHeader header = new BlockHeader(
                BlockHeader.VERSION,
                draft.height(),
                work.parent().id(),
                time,
                Difficulty.EASIEST,
                branch,
                txRoot(draft),
                stateAfter.root());
        ConnectedBlock block = draft.finish(new Block(header, draft.transactions()));
        archive.append(block.block());
        connector.connect(block, stateAfter);
        return block.id();
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
}
