package org.chainwalletd.htlc;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.TxOutput;

/** Lock outputs as a counterparty's daemon would make them. */
final class Locks {
    private Locks() {}

    static TxOutput output(HtlcParams params, long amount) {
        return TxOutput.toScript(HtlcScript.build(params), Amount.of(amount));
    }
}
