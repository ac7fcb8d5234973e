package org.chainwalletd.rpc.method.spend;

import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.spend.Receipt;

/** An output that a transaction makes. */
record OutputView(Address to, Amount amount, boolean isChange) {
    /** Outputs of a transfer always have an address. */
    static List<OutputView> of(List<Receipt.PaidOutput> outputs) {
        return outputs.stream()
                .map(paid -> new OutputView(
                        paid.output().address().orElseThrow(), paid.output().value(), paid.change()))
                .toList();
    }
}
