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
 * @param ways how many transactions would have done as well; 1 when whoever has the key builds the same one
 */
public record Draft(
        Transaction unsigned,
        List<Coin> inputs,
        Amount fee,
        OptionalInt changeIndex,
        TxShape shape,
        long builtAtHeight,
        boolean spare,
        int ways) {
    public Draft {
        inputs = List.copyOf(inputs);
    }
}
