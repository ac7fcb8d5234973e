package org.chainwalletd.chain;

import java.util.List;

/**
 * A transaction with one witness per input (chain protocol, section 4.1). While it is being built it may have no witnesses.
 * Serialisation, ids and the signing message are in {@link TransactionCodec}.
 */
public record Transaction(List<Outpoint> inputs, List<TxOutput> outputs, List<Witness> witnesses) {
    public Transaction {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        witnesses = List.copyOf(witnesses);
    }

    public Transaction withWitnesses(List<Witness> newWitnesses) {
        return new Transaction(inputs, outputs, newWitnesses);
    }
}
