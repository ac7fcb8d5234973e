package org.chainwalletd.spend.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.TxShape.InputKind;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;

/**
 * Answer of a successful spend (interface.md, section 4.7). Every field is derived from the intent, so the answer of a repeated token is
 * byte for byte the first one.
 *
 * @param size serialised bytes
 * @param fee effective fee, including dust change that was added to it
 * @param feeRate fee · 100 / cost, unsigned 64-bit
 */
public record Receipt(
        Hash256 txId,
        long size,
        Amount fee,
        long feeRate,
        List<Coin> inputs,
        List<PaidOutput> outputs,
        long builtAtHeight) {
    /** Output of the transaction. */
    public record PaidOutput(TxOutput output, boolean change) {}

    public Receipt {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    public static Receipt of(Intent intent) {
        Transaction tx = TransactionCodec.decode(intent.transaction().toArray());
        InputKind spent = intent.kind().equals("htlc_claim") || intent.kind().equals("htlc_reclaim")
                ? InputKind.HTLC
                : InputKind.PLAIN;
        TxShape shape = TxShape.of(tx, Collections.nCopies(tx.inputs().size(), spent));
        Amount fee = intent.inputs().stream().map(Coin::value).reduce(Amount.ZERO, Amount::plus);
        List<PaidOutput> outputs = new ArrayList<>();
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            fee = fee.minus(output.value());
            // The change comes last; a batch of payouts splits it into several outputs.
            outputs.add(new PaidOutput(output, i >= intent.changeIndex().orElse(Integer.MAX_VALUE)));
        }
        return new Receipt(
                intent.txId(),
                intent.transaction().length(),
                fee,
                Fees.effectiveRate(fee, shape.cost()),
                intent.inputs(),
                outputs,
                intent.builtAtHeight());
    }
}
