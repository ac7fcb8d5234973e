package org.chainwalletd.spend.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;

/**
 * Plan of a payment that is made again because a foreign transaction spends a coin of the first transaction. The first may win after all,
 * when a reorganisation removes the conflicting transaction, so the new one spends one of its coins: if one is mined, the other cannot be
 * (following.md, section 2). The coins of the lost transaction come first, in its order, so that a further rebuild shares that coin too.
 */
record RebuiltPlan(SpendPlan plan, Intent lost) implements SpendPlan.Changed {
    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return plan.gather(node, executor).thenApplyAsync(this::lostFirst, executor);
    }

    private Candidates lostFirst(Candidates candidates) {
        List<Outpoint> coins = lost.inputs().stream().map(Coin::outpoint).toList();
        List<NodeClient.Utxo> first = new ArrayList<>();
        List<NodeClient.Utxo> others = new ArrayList<>();
        candidates.utxos().forEach(utxo -> (coins.contains(utxo.outpoint()) ? first : others).add(utxo));
        first.sort(Comparator.comparingInt(utxo -> coins.indexOf(utxo.outpoint())));
        first.addAll(others);
        return new Candidates(first, candidates.truncated(), candidates.tipHeight(), candidates.source());
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        Holdings inOrder = new Holdings(
                holdings.reserved(), holdings.excluded(), holdings.coinbaseMaturity(), new InOrder(holdings.drawing()));
        Draft draft = plan.choose(candidates, inOrder);
        if (draft.inputs().stream().noneMatch(lost.inputs()::contains)) {
            throw new SpendException(
                    new SpendRefusal.OutcomeUnknown(lost.txId(), true, "none of its other coins can be spent now"));
        }
        return new Draft(
                draft.unsigned(),
                draft.inputs(),
                draft.fee(),
                draft.changeIndex(),
                draft.shape(),
                draft.builtAtHeight(),
                draft.spare(),
                1);
    }

    /** Replaces no coin; marks change as before. */
    private record InOrder(Drawing drawing) implements Drawing {
        @Override
        public int of(int count) {
            return 0;
        }

        @Override
        public boolean marks() {
            return drawing.marks();
        }

        @Override
        public Bytes mark() {
            return drawing.mark();
        }
    }
}
