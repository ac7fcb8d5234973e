package org.chainwalletd.spend;

import java.util.List;
import java.util.OptionalInt;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.store.Coin;

/**
 * A transaction that is decided on but not signed.
 *
 * @param fee effective, with folded change
 * @param spare whether other coins could have been chosen
 */
public record Draft(
        Transaction unsigned,
        List<Coin> inputs,
        Amount fee,
        OptionalInt changeIndex,
        TxShape shape,
        long builtAtHeight,
        boolean spare) {
    public Draft {
        inputs = List.copyOf(inputs);
    }
}
