package org.chainwalletd.spend.plan;

import java.util.List;
import java.util.OptionalInt;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.store.Coin;

/**
 * Complete transaction that is not signed yet.
 *
 * @param fee effective fee, including dust change that was added to it
 * @param spare whether other coins could have been chosen
 * @param ways number of transactions that would have been equally good; 1 when every holder of the key builds the same one
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
