package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.Coin;

/**
 * What a spend would look like now (interface.md, section 4.7): {@code totalIn = totalOut + fee}.
 *
 * @param change zero when there is none
 */
public record Simulation(
        long size,
        Amount fee,
        long feeRate,
        List<Coin> inputs,
        List<Receipt.PaidOutput> outputs,
        Amount totalIn,
        Amount totalOut,
        Amount change,
        long builtAtHeight) {
    public Simulation {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    static Simulation of(Draft draft) {
        List<Receipt.PaidOutput> outputs = new ArrayList<>();
        Amount totalOut = Amount.ZERO;
        Amount change = Amount.ZERO;
        for (int i = 0; i < draft.unsigned().outputs().size(); i++) {
            TxOutput output = draft.unsigned().outputs().get(i);
            boolean isChange =
                    draft.changeIndex().isPresent() && draft.changeIndex().getAsInt() == i;
            outputs.add(new Receipt.PaidOutput(output, isChange));
            totalOut = totalOut.plus(output.value());
            change = isChange ? output.value() : change;
        }
        return new Simulation(
                draft.shape().size(),
                draft.fee(),
                Fees.effectiveRate(draft.fee(), draft.shape().cost()),
                draft.inputs(),
                outputs,
                totalOut.plus(draft.fee()),
                totalOut,
                change,
                draft.builtAtHeight());
    }
}
