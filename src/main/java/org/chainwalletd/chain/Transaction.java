package org.chainwalletd.chain;

import java.util.List;

/**
 * Transaction with one witness per input (chain protocol, section 4.1). It may have no witnesses while it is being built. Serialisation, ids and
 * the signing message are in {@link TransactionCodec}.
 */
public record Transaction(List<Outpoint> inputs, List<TxOutput> outputs, List<Witness> witnesses) {
    public Transaction {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        witnesses = List.copyOf(witnesses);
    }

    /** Returns a transaction without witnesses. */
    public static Transaction unsigned(List<Outpoint> inputs, List<TxOutput> outputs) {
        return new Transaction(inputs, outputs, List.of());
    }

    /** Tests for the form of a coinbase: a single input whose previous transaction id is zero (section 4.3). */
    public boolean isCoinbase() {
        return inputs.size() == 1 && inputs.get(0).txId().isZero();
    }

    public Transaction withWitnesses(List<Witness> newWitnesses) {
        return new Transaction(inputs, outputs, newWitnesses);
    }
}
