package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.StateTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.devnet.ledger.LedgerView.SpentBy;

/** The best chain with its indexes, and every block that was ever part of it. Not thread-safe: the {@link Ledger} guards it. */
final class ChainState {
    /** A block may be at most this much younger than its parent, in seconds. */
    static final long MAX_STEP_SECONDS = 604_800;

    private static final int MEDIAN_BLOCKS = 11;

    private final ChainProfile profile;
    private final List<ConnectedBlock> best = new ArrayList<>();
    private final Map<Hash256, ConnectedBlock> stored = new HashMap<>();
    private final Map<Hash256, Place> places = new HashMap<>();
    private final Map<Outpoint, SpentBy> spends = new HashMap<>();
    private final BlockDraft.CoinSet coins = new BlockDraft.CoinSet();
    private StateTree state = StateTree.EMPTY;

    ChainState(ChainProfile profile) {
        this.profile = profile;
    }

    /** Position of a confirmed transaction. */
    record Place(long height, int index) {}

    BlockDraft.CoinSet coins() {
        return coins;
    }

    StateTree state() {
        return state;
    }

    ConnectedBlock tip() {
        return best.get(best.size() - 1);
    }

    /** The block of the best chain at this height, or null. */
    ConnectedBlock at(long height) {
        return height >= 0 && height < best.size() ? best.get((int) height) : null;
    }

    /** Returns a block that was ever connected, or null. */
    ConnectedBlock stored(Hash256 id) {
        return stored.get(id);
    }

    Place place(Hash256 txId) {
        return places.get(txId);
    }

    SpentBy spend(Outpoint outpoint) {
        return spends.get(outpoint);
    }

    /** Median of the timestamps of the last up to 11 blocks; the next one must be greater. */
    long medianTime() {
        List<Long> times = new ArrayList<>();
        for (int i = Math.max(0, best.size() - MEDIAN_BLOCKS); i < best.size(); i++) {
            times.add(best.get(i).timestamp());
        }
        times.sort(Comparator.naturalOrder());
        return times.get(times.size() / 2);
    }

    void connect(ConnectedBlock block, StateTree stateAfter) {
        int spentIndex = 0;
        List<Transaction> transactions = block.block().transactions();
        for (int i = 0; i < transactions.size(); i++) {
            Transaction tx = transactions.get(i);
            Hash256 txId = block.txIds().get(i);
            for (int input = 0; i > 0 && input < tx.inputs().size(); input++) {
                Coin coin = coins.remove(block.spent().get(spentIndex++).outpoint());
                spends.put(coin.outpoint(), new SpentBy(txId, input, block.height()));
            }
            for (int output = 0; output < tx.outputs().size(); output++) {
                coins.add(new Coin(new Outpoint(txId, output), tx.outputs().get(output), block.height(), i == 0));
            }
            places.put(txId, new Place(block.height(), i));
        }
        best.add(block);
        stored.put(block.id(), block);
        state = stateAfter;
    }

    /** Disconnects the tip; the block stays stored. */
    ConnectedBlock disconnect() {
        ConnectedBlock block = best.remove(best.size() - 1);
        List<Transaction> transactions = block.block().transactions();
        int spentIndex = block.spent().size();
        for (int i = transactions.size() - 1; i >= 0; i--) {
            Transaction tx = transactions.get(i);
            Hash256 txId = block.txIds().get(i);
            for (int output = tx.outputs().size() - 1; output >= 0; output--) {
                Coin coin = coins.remove(new Outpoint(txId, output));
                state = state.remove(StateTree.key(profile, coin.outpoint()));
            }
            for (int input = tx.inputs().size() - 1; i > 0 && input >= 0; input--) {
                Coin coin = block.spent().get(--spentIndex);
                coins.add(coin);
                spends.remove(coin.outpoint());
                state = BlockDraft.insert(profile, state, coin);
            }
            places.remove(txId);
        }
        return block;
    }
}
