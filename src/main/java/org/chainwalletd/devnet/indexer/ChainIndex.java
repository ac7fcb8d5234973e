package org.chainwalletd.devnet.indexer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;

/**
 * The rows extracted from the best chain. Each question first takes up the blocks that have come since the last one, and takes back those
 * that a reorganisation has left behind, so that every answer is of one chain. Safe for threads: one question after the other.
 */
final class ChainIndex {
    /** A block whose rows are in. */
    private record Applied(Hash256 id, long height, Undo undo) {}

    private final Ledger ledger;
    private final Deque<Applied> applied = new ArrayDeque<>();
    final HtlcRows htlcs;
    final ActivityRows activities = new ActivityRows();
    final DatumRows datums = new DatumRows();

    ChainIndex(Ledger ledger) {
        this.ledger = ledger;
        this.htlcs = new HtlcRows(ledger.profile());
    }

    /** Answers from an index that has caught up. */
    synchronized <T> T ask(Function<ChainIndex, T> question) {
        catchUp();
        return question.apply(this);
    }

    /** The last block that is in. */
    long height() {
        return applied.getLast().height();
    }

    Hash256 blockId() {
        return applied.getLast().id();
    }

    private void catchUp() {
        while (true) {
            while (!applied.isEmpty() && !isBest(applied.getLast())) {
                applied.removeLast().undo().run();
            }
            Optional<ConnectedBlock> next = ledger.blockAt(applied.isEmpty() ? 0 : height() + 1);
            if (next.isEmpty()) {
                return;
            }
            // The chain may have been reorganised since the look at the last block.
            if (applied.isEmpty() || next.get().block().header().previousId().equals(blockId())) {
                apply(next.get());
            }
        }
    }

    private boolean isBest(Applied block) {
        return ledger.blockAt(block.height()).map(ConnectedBlock::id).equals(Optional.of(block.id()));
    }

    private void apply(ConnectedBlock block) {
        Undo undo = new Undo();
        int consumed = 0;
        List<Transaction> transactions = block.block().transactions();
        for (int i = 0; i < transactions.size(); i++) {
            Transaction tx = transactions.get(i);
            int inputs = tx.isCoinbase() ? 0 : tx.inputs().size();
            List<Coin> spent = block.spent().subList(consumed, consumed + inputs);
            consumed += inputs;
            apply(tx, block.txIds().get(i), block.height(), spent, undo);
        }
        applied.addLast(new Applied(block.id(), block.height(), undo));
    }

    private void apply(Transaction tx, Hash256 txId, long height, List<Coin> spent, Undo undo) {
        List<TxOutput> consumed = new ArrayList<>();
        for (int i = 0; i < spent.size(); i++) {
            htlcs.spent(tx.inputs().get(i), tx.witnesses().get(i), txId, i, height, undo);
            consumed.add(spent.get(i).output());
        }
        activities.apply(txId, height, tx.isCoinbase(), consumed, tx.outputs(), undo);
        for (int i = 0; i < tx.outputs().size(); i++) {
            Outpoint outpoint = new Outpoint(txId, i);
            htlcs.created(outpoint, tx.outputs().get(i), height, undo);
            datums.created(outpoint, tx.outputs().get(i), undo);
        }
    }
}
